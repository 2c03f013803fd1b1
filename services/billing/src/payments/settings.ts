import { StartError } from "@tollgate/core/errors";
import { parseUsd } from "@tollgate/core/money";
import { z } from "zod";
import { nanoUsdPerCent } from "./cents.ts";

/** How Stripe is reached, and what may be paid. */
export interface StripeSettings {
  key: string;
  /** The secrets of the webhook: more than one while they are rotated. */
  webhookSecrets: readonly string[];
  /** Another address than Stripe's own. */
  url: URL | undefined;
  topUps: TopUpAmounts;
  /** Where the console of customers is: the page of Stripe returns there. Without a slash at its end. */
  consoleUrl: string;
}

/** What one top-up may be: one of the amounts, or any amount of whole cents between two bounds. */
export type TopUpAmounts = { amounts: readonly bigint[] } | { least: bigint; most: bigint };

/** The variables about payments, for the settings of billing. */
export const paymentSettings = {
  TOLLGATE_STRIPE_KEY: z.string().optional(),
  TOLLGATE_STRIPE_WEBHOOK_SECRET: z.string().optional(),
  TOLLGATE_STRIPE_URL: z.url("must be a URL").optional(),
  TOLLGATE_TOP_UPS: z.string().default("5-1000"),
  TOLLGATE_CONSOLE_URL: z.string().optional(),
  TOLLGATE_CUSTOMER_URL: z.string().optional(),
};

type Variables = z.output<z.ZodObject<typeof paymentSettings>>;

/**
 * Returns the settings of Stripe; undefined without a key. Throws a StartError that names the variable
 * that is missing or invalid.
 */
export function stripeSettingsOf(variables: Variables): StripeSettings | undefined {
  const { TOLLGATE_STRIPE_KEY: key, TOLLGATE_STRIPE_URL: url } = variables;
  if (key === undefined) return undefined;
  return {
    key,
    webhookSecrets: required(variables, "TOLLGATE_STRIPE_WEBHOOK_SECRET").split(",").map(trim),
    url: url === undefined ? undefined : new URL(url),
    topUps: parseTopUps(variables.TOLLGATE_TOP_UPS),
    consoleUrl: consoleUrlOf(variables).replace(/\/$/, ""),
  };
}

/** Returns the address of an account's payments in the console, to which the pages of Stripe return. */
export function paymentsPage({ consoleUrl }: StripeSettings, accountId: string): string {
  return `${consoleUrl}/payments?account=${accountId}`;
}

function consoleUrlOf(variables: Variables): string {
  return variables.TOLLGATE_CUSTOMER_URL ?? required(variables, "TOLLGATE_CONSOLE_URL");
}

function required(
  variables: Variables,
  name: "TOLLGATE_STRIPE_WEBHOOK_SECRET" | "TOLLGATE_CONSOLE_URL",
): string {
  const value = variables[name];
  if (value !== undefined) return value;
  throw new StartError(`${name}: is not set, which TOLLGATE_STRIPE_KEY needs`);
}

/** The most that Stripe takes in one payment. */
const maxTopUpNanoUsd = 99_999_999n * nanoUsdPerCent;

/** Returns the amounts of `10,25,100`, or the bounds of `5-1000`. Throws a StartError. */
export function parseTopUps(text: string): TopUpAmounts {
  const [least, most, ...more] = text.split("-").map(parseAmount);
  const isRange = least !== undefined && most !== undefined && more.length === 0;
  if (isRange && least <= most) return { least, most };
  const amounts = text.split(",").map(parseAmount);
  if (amounts.every((amount) => amount !== undefined)) return { amounts };
  throw new StartError(
    "TOLLGATE_TOP_UPS: must be amounts in USD, such as 10,25,100, or two bounds, such as 5-1000",
  );
}

/** Stripe takes whole cents. */
function parseAmount(text: string): bigint | undefined {
  const amount = parseUsd(trim(text));
  if (amount === undefined || amount === 0n || amount > maxTopUpNanoUsd) return undefined;
  return amount % nanoUsdPerCent === 0n ? amount : undefined;
}

function trim(text: string): string {
  return text.trim();
}
