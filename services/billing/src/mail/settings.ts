import { type Environment, readSettings } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";
import { z } from "zod";

/** How mail is sent, and where its links lead. */
export interface MailSettings {
  smtpUrl: string;
  from: string;
  /** Where browsers reach the console, without a path. */
  consoleUrl: string;
  /** Where customers do. */
  customerUrl: string;
  /** Encrypts what is stored of mail until it is sent. */
  identityKey: string;
}

/** Returns the settings of mail; undefined if no mail is sent. Throws a StartError for an invalid setting. */
export function readMailSettings(env: Environment): MailSettings | undefined {
  const settings = readSettings(schema, env);
  const { TOLLGATE_SMTP_URL: smtpUrl, TOLLGATE_MAIL_FROM: from } = settings;
  if (smtpUrl === undefined) return undefined;
  const { TOLLGATE_CONSOLE_URL: consoleUrl, TOLLGATE_IDENTITY_KEY: identityKey } = settings;
  if (from === undefined) throw missing("TOLLGATE_MAIL_FROM");
  if (consoleUrl === undefined) throw missing("TOLLGATE_CONSOLE_URL");
  if (identityKey === undefined) throw missing("TOLLGATE_IDENTITY_KEY");
  const customerUrl = withoutSlash(settings.TOLLGATE_CUSTOMER_URL ?? consoleUrl);
  return { smtpUrl, from, consoleUrl: withoutSlash(consoleUrl), customerUrl, identityKey };
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}

function missing(variable: string): StartError {
  return new StartError(`${variable}: is not set, but TOLLGATE_SMTP_URL is`);
}

function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (protocol === "smtp:" || protocol === "smtps:") && hostname !== "";
}

const schema = z.object({
  TOLLGATE_SMTP_URL: z
    .string()
    .refine(
      isSmtpUrl,
      "must be an smtp: or smtps: URL, such as smtps://user:password@mail.example.com",
    )
    .optional(),
  TOLLGATE_MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*@[^\r\n]*$/, "must be an address, such as Tollgate <no-reply@example.com>")
    .optional(),
  TOLLGATE_CONSOLE_URL: z.string().optional(),
  TOLLGATE_CUSTOMER_URL: z.string().optional(),
  TOLLGATE_IDENTITY_KEY: z
    .string()
    .min(32, "must have at least 32 characters: openssl rand -hex 32")
    .optional(),
});
