import { type Environment, readSettings } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";
import { z } from "zod";

/** Who may sign up, and what they get. */
export interface SignUpSettings {
  /** `open`: a person with a confirmed address gets an account. `approve`: if an operator approves, too. */
  mode: "off" | "approve" | "open";
  /** The hosts of the addresses that may sign up. Empty: all. */
  domains: readonly string[];
  /** The credit of a new account. */
  creditNanoUsd: bigint;
  /** Whether the credit is paid only once a card is saved with which no other account got one. */
  creditNeedsCard: boolean;
  /** The address of the terms that a person accepts by signing up; empty for none. */
  termsUrl: string;
}

/** What sign-up depends on. */
interface Available {
  sendsMail: boolean;
  takesCards: boolean;
}

/**
 * Reads the settings of sign-up. Throws a StartError for an invalid one, and where people may sign up but
 * no mail is sent, or the credit needs a card but none can be saved.
 */
export function readSignUpSettings(
  env: Environment,
  { sendsMail, takesCards }: Available,
): SignUpSettings {
  const settings = readSettings(schema, env);
  const { TOLLGATE_SIGNUP: mode, TOLLGATE_SIGNUP_CARD: card } = settings;
  if (mode !== "off" && !sendsMail) {
    throw new StartError("TOLLGATE_SMTP_URL: is not set, but TOLLGATE_SIGNUP is");
  }
  if (card === "on" && !takesCards) {
    throw new StartError("TOLLGATE_STRIPE_KEY: is not set, but TOLLGATE_SIGNUP_CARD is");
  }
  return {
    mode,
    domains: settings.TOLLGATE_SIGNUP_DOMAINS,
    creditNanoUsd: settings.TOLLGATE_SIGNUP_CREDIT,
    creditNeedsCard: card === "on",
    termsUrl: settings.TOLLGATE_TERMS_URL,
  };
}

const nanoPerMicro = 1_000n;

function readUsd(text: string): bigint {
  const [whole = "", decimals = ""] = text.split(".");
  return BigInt(whole + decimals.padEnd(6, "0")) * nanoPerMicro;
}

const schema = z.object({
  TOLLGATE_SIGNUP: z.enum(["off", "approve", "open"]).default("off"),
  TOLLGATE_SIGNUP_DOMAINS: z
    .string()
    .regex(/^[a-z0-9.-]+(\s*,\s*[a-z0-9.-]+)*$/, "must be a list such as acme.com,acme.org")
    .transform((text) => text.split(",").map((one) => one.trim()))
    .default([]),
  TOLLGATE_SIGNUP_CREDIT: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6})?$/, "must be an amount in USD, such as 5 or 0.50")
    .transform(readUsd)
    .default(0n),
  TOLLGATE_SIGNUP_CARD: z.enum(["on", "off"]).default("off"),
  TOLLGATE_TERMS_URL: z
    .string()
    .refine((text) => /^https?:/.test(text) && URL.canParse(text), "must be an http: or https: URL")
    .default(""),
});
