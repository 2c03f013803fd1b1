import { createTransport } from "nodemailer";
import { type Outgoing, RefusedError } from "../outbox/outbox.ts";
import type { Mail } from "./messages.ts";
import type { MailSettings } from "./settings.ts";

const connectionTimeoutMs = 10_000;
const socketTimeoutMs = 30_000;
const maxConnections = 2;

/** Creates the function that sends mail by SMTP, and the one that closes its connections. */
export function createSmtp({ smtpUrl, from }: Pick<MailSettings, "smtpUrl" | "from">): {
  /** Rejects with a RefusedError for an address that does not exist. */
  send(message: Outgoing<Mail>): Promise<void>;
  close(): void;
} {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections,
    connectionTimeout: connectionTimeoutMs,
    greetingTimeout: connectionTimeoutMs,
    socketTimeout: socketTimeoutMs,
    // Text and addresses are given, never files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const host = /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? "localhost";
  return {
    async send({ id, content: { to, subject, text } }) {
      // The same id at each attempt: a server may drop a repetition.
      const messageId = `<${id}@${host}>`;
      const headers = { "Auto-Submitted": "auto-generated" };
      try {
        await transport.sendMail({ from, to, subject, text, messageId, headers });
      } catch (error) {
        const { responseCode = 0, command } = error as { responseCode?: number; command?: string };
        const isPermanent = responseCode >= 550 && responseCode <= 559 && command === "RCPT TO";
        throw isPermanent ? new RefusedError("refused", { cause: error }) : error;
      }
    },
    close: () => transport.close(),
  };
}
