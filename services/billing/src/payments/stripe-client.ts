import { Agent } from "node:https";
import { GatewayError, serviceUnavailable } from "@tollgate/core/errors";
import type { ProxySettings } from "@tollgate/core/proxy-settings";
import type Stripe from "stripe";
import type { StripeSettings } from "./settings.ts";

/** Less than the time that a call of the console may take. */
const timeoutMs = 15_000;
const maxNetworkRetries = 1;

/** Stripe's library, and how it is used. */
export interface StripeAccess {
  stripe: Stripe;
  settings: StripeSettings;
}

/** Loads Stripe's library, which a gateway without payments does not need. */
export async function openStripe(
  settings: StripeSettings,
  { https, none }: ProxySettings,
): Promise<StripeAccess> {
  const { default: Library } = await import("stripe");
  const { url } = settings;
  const stripe = new Library(settings.key, {
    timeout: timeoutMs,
    maxNetworkRetries,
    telemetry: false,
    appInfo: { name: "Tollgate" },
    ...(https && {
      httpAgent: new Agent({ keepAlive: true, proxyEnv: { HTTPS_PROXY: https, NO_PROXY: none } }),
    }),
    ...(url && {
      host: url.hostname,
      port: url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port,
      protocol: url.protocol === "https:" ? ("https" as const) : ("http" as const),
    }),
  });
  return { stripe, settings };
}

/** Returns the access to Stripe. Throws `not_found` if Stripe is not configured. */
export function requireStripe(access: StripeAccess | undefined): StripeAccess {
  if (access !== undefined) return access;
  throw new GatewayError("not_found", "Payments are off: TOLLGATE_STRIPE_KEY is not set.");
}

/** Returns whether Stripe says that an object does not exist. */
export function isMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === "resource_missing";
}

/** Returns an error of Stripe as a GatewayError without the content of the request, and any other as it is. */
export function toPaymentError(error: unknown): Error {
  const { type, statusCode } = error as { type?: unknown; statusCode?: unknown };
  if (typeof type !== "string" || !type.startsWith("Stripe")) return error as Error;
  if (type === "StripeConnectionError" || type === "StripeAPIError")
    return serviceUnavailable(error);
  const status = typeof statusCode === "number" ? ` with ${statusCode}` : "";
  const message = `Stripe refused the call${status}: see its dashboard, or TOLLGATE_STRIPE_KEY.`;
  return new GatewayError("upstream_rejected", message, { cause: error, isPermanent: true });
}
