import { type Environment, integerSetting, readSettings } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";
import { parseUsd } from "@tollgate/core/money";
import { type HttpAddress, parseHttpAddress } from "@tollgate/http/address";
import { z } from "zod";

export interface ConsoleConfig {
  /** Undefined where the console is disabled. */
  listen: HttpAddress | undefined;
  /** Where webhooks arrive; undefined where they arrive at the console's own address. */
  webhookListen: HttpAddress | undefined;
  /** Where browsers reach the console, without a path; undefined where it is reached directly. */
  origin: string | undefined;
  /** Where customers reach the console without operators; undefined where they have no listener of their own. */
  customers: { listen: HttpAddress; origin: string } | undefined;
  /** Where clients reach the gateway, without a path; undefined where it is that of this process. */
  publicUrl: string | undefined;
  /** Where an edge of another process serves the requests of the playground. */
  edgeUrl: string;
  /** What a person may spend in the playground in a day; 0 without one. */
  playgroundNanoUsd: bigint;
  /** How many proxies add to `X-Forwarded-For` before a request arrives. */
  proxies: number;
}

const variable = "TOLLGATE_CONSOLE_LISTEN";
const nanoPerUsd = 1_000_000_000n;
const webhookVariable = "TOLLGATE_WEBHOOK_LISTEN";
const customerVariable = "TOLLGATE_CUSTOMER_LISTEN";

/** Reads the console's settings. Throws a StartError that names an invalid one. */
export function readConsoleConfig(env: Environment): ConsoleConfig {
  const settings = readSettings(schema, env);
  const { [variable]: listen, [webhookVariable]: webhookListen } = settings;
  return {
    listen: listen === undefined ? undefined : parseHttpAddress(variable, listen),
    webhookListen:
      webhookListen === undefined ? undefined : parseHttpAddress(webhookVariable, webhookListen),
    origin: settings.TOLLGATE_CONSOLE_URL?.replace(/\/$/, ""),
    customers: customersOf(settings),
    publicUrl: settings.TOLLGATE_PUBLIC_URL?.replace(/\/$/, ""),
    edgeUrl: settings.TOLLGATE_EDGE_URL.replace(/\/$/, ""),
    playgroundNanoUsd: settings.TOLLGATE_PLAYGROUND_BUDGET,
    proxies: settings.TOLLGATE_CONSOLE_PROXIES,
  };
}

function customersOf(settings: z.output<typeof schema>): ConsoleConfig["customers"] {
  const { [customerVariable]: listen, TOLLGATE_CUSTOMER_URL: url } = settings;
  if (listen === undefined) return undefined;
  if (url !== undefined) {
    return { listen: parseHttpAddress(customerVariable, listen), origin: url.replace(/\/$/, "") };
  }
  throw new StartError(`TOLLGATE_CUSTOMER_URL: is not set, but ${customerVariable} is`);
}

/** Returns whether a text is an origin, apart from a slash at its end. */
function isOrigin(text: string): boolean {
  const bare = text.replace(/\/$/, "");
  return /^https?:/.test(bare) && URL.canParse(bare) && new URL(bare).origin === bare;
}

const schema = z.object({
  TOLLGATE_CONSOLE_LISTEN: z.string().optional(),
  TOLLGATE_WEBHOOK_LISTEN: z.string().optional(),
  TOLLGATE_CUSTOMER_LISTEN: z.string().optional(),
  TOLLGATE_CUSTOMER_URL: z
    .string()
    .refine(isOrigin, "must be a URL without a path, such as https://customers.example.com")
    .optional(),
  TOLLGATE_CONSOLE_URL: z
    .string()
    .refine(isOrigin, "must be a URL without a path, such as https://console.example.com")
    .optional(),
  TOLLGATE_PUBLIC_URL: z
    .string()
    .refine(isOrigin, "must be a URL without a path, such as https://api.example.com")
    .optional(),
  TOLLGATE_EDGE_URL: z
    .string()
    .refine(isOrigin, "must be a URL without a path, such as http://edge:8080")
    .default("http://edge:8080"),
  TOLLGATE_PLAYGROUND_BUDGET: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6})?$/, "must be an amount in USD, such as 1 or 0.50")
    .transform((text) => parseUsd(text) ?? 0n)
    .default(nanoPerUsd),
  TOLLGATE_CONSOLE_PROXIES: integerSetting({ min: 0, max: 10, default: 0 }),
});
