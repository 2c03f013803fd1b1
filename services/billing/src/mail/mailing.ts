import type { Log } from "@tollgate/core/log";
import type { PrismaClient } from "../generated/client.ts";
import { type MessageOutbox, openOutbox } from "../outbox/outbox.ts";
import { createSealer, type Sealer } from "../sealing.ts";
import { createMailTexts, type Mail, type MailTexts } from "./messages.ts";
import type { MailSettings } from "./settings.ts";
import { createSmtp } from "./smtp.ts";

/** The outbox, and the texts of its mail. */
export interface Mailing {
  outbox: MessageOutbox<Mail>;
  /** Where its links lead: those of operators, and those of customers. */
  consoleUrl: string;
  customerUrl: string;
  texts: MailTexts;
  sealer: Sealer;
}

/** Begins to send the mail of the outbox. */
export function startMailing(
  settings: MailSettings,
  { prisma, log, now }: { prisma: PrismaClient; log: Log; now(): Date },
): Mailing & { stop(): Promise<void> } {
  const { send, close } = createSmtp(settings);
  const sealer = createSealer(settings.identityKey);
  const outbox = openOutbox<Mail>({ prisma, sealer, queue: "mail", send, log, now });
  return {
    outbox,
    sealer,
    consoleUrl: settings.consoleUrl,
    customerUrl: settings.customerUrl,
    texts: createMailTexts(settings.customerUrl),
    async stop() {
      await outbox.stop();
      close();
    },
  };
}
