import { type Environment, integerSetting, readSettings } from "@tollgate/core/config";
import { type HttpAddress, parseHttpAddress } from "@tollgate/http/address";
import { z } from "zod";

export interface ConsoleConfig {
  /** Undefined where the console is disabled. */
  listen: HttpAddress | undefined;
  /** Where webhooks arrive; undefined where they arrive at the console's own address. */
  webhookListen: HttpAddress | undefined;
  /** Where browsers reach the console, without a path; undefined where it is reached directly. */
  origin: string | undefined;
  /** How many proxies add to `X-Forwarded-For` before a request arrives. */
  proxies: number;
}

const variable = "TOLLGATE_CONSOLE_LISTEN";
const webhookVariable = "TOLLGATE_WEBHOOK_LISTEN";

/** Reads the console's settings. Throws a StartError that names an invalid one. */
export function readConsoleConfig(env: Environment): ConsoleConfig {
  const settings = readSettings(schema, env);
  const { [variable]: listen, [webhookVariable]: webhookListen } = settings;
  return {
    listen: listen === undefined ? undefined : parseHttpAddress(variable, listen),
    webhookListen:
      webhookListen === undefined ? undefined : parseHttpAddress(webhookVariable, webhookListen),
    origin: settings.TOLLGATE_CONSOLE_URL?.replace(/\/$/, ""),
    proxies: settings.TOLLGATE_CONSOLE_PROXIES,
  };
}

/** Returns whether a text is an origin, apart from a slash at its end. */
function isOrigin(text: string): boolean {
  const bare = text.replace(/\/$/, "");
  return /^https?:/.test(bare) && URL.canParse(bare) && new URL(bare).origin === bare;
}

const schema = z.object({
  TOLLGATE_CONSOLE_LISTEN: z.string().optional(),
  TOLLGATE_WEBHOOK_LISTEN: z.string().optional(),
  TOLLGATE_CONSOLE_URL: z
    .string()
    .refine(isOrigin, "must be a URL without a path, such as https://console.example.com")
    .optional(),
  TOLLGATE_CONSOLE_PROXIES: integerSetting({ min: 0, max: 10, default: 0 }),
});
