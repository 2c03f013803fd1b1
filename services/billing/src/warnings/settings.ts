import { type Environment, readSettings } from "@tollgate/core/config";
import { z } from "zod";

/** How webhooks are sent. */
export interface WebhookSettings {
  /** Encrypts the addresses and secrets of webhooks. */
  identityKey: string;
  /** Whether a webhook may have an address that is not public, and no TLS. */
  allowsPrivate: boolean;
}

/** Reads the settings of webhooks. Undefined where none is sent. Throws a StartError for an invalid one. */
export function readWebhookSettings(env: Environment): WebhookSettings | undefined {
  const settings = readSettings(schema, env);
  const { TOLLGATE_IDENTITY_KEY: identityKey } = settings;
  if (identityKey === undefined) return undefined;
  return { identityKey, allowsPrivate: settings.TOLLGATE_PRIVATE_WEBHOOKS === "1" };
}

const schema = z.object({
  TOLLGATE_IDENTITY_KEY: z
    .string()
    .min(32, "must have at least 32 characters: openssl rand -hex 32")
    .optional(),
  TOLLGATE_PRIVATE_WEBHOOKS: z.enum(["0", "1"], "must be 0 or 1").default("0"),
});
