import type { Log } from "@tollgate/core/log";
import type { PrismaClient } from "../generated/client.ts";
import { createSealer, type Sealer } from "../sealing.ts";
import { createMailTexts, type MailTexts } from "./messages.ts";
import { type MailOutbox, openMailOutbox } from "./outbox.ts";
import type { MailSettings } from "./settings.ts";
import { createSmtp } from "./smtp.ts";

/** The outbox, and the texts of its mail. */
export interface Mailing {
  outbox: MailOutbox;
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
  const outbox = openMailOutbox({ prisma, sealer, send, log, now });
  return {
    outbox,
    sealer,
    texts: createMailTexts(settings.consoleUrl),
    async stop() {
      await outbox.stop();
      close();
    },
  };
}
