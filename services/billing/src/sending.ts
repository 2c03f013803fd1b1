import type { Environment } from "@tollgate/core/config";
import type { Log } from "@tollgate/core/log";
import type { PrismaClient } from "./generated/client.ts";
import { startMailing } from "./mail/mailing.ts";
import { type MailSettings, readMailSettings } from "./mail/settings.ts";
import { createSealer } from "./sealing.ts";
import { startWebhooks } from "./warnings/channels.ts";
import { readWebhookSettings, type WebhookSettings } from "./warnings/settings.ts";

/** How messages to people are sent: undefined where they are not. */
export interface SendingSettings {
  mail: MailSettings | undefined;
  webhooks: WebhookSettings | undefined;
}

/** Reads the settings of mail and webhooks. Throws a StartError for an invalid one. */
export function readSendingSettings(env: Environment): SendingSettings {
  return { mail: readMailSettings(env), webhooks: readWebhookSettings(env) };
}

/** Begins to send mail and webhooks. Returns what adds them, what encrypts them, and what ends it. */
export function startSending(
  settings: SendingSettings,
  parts: { prisma: PrismaClient; log: Log; now(): Date },
) {
  const mailing = settings.mail && startMailing(settings.mail, parts);
  const webhooks = settings.webhooks && startWebhooks(settings.webhooks, parts);
  return {
    sealer: settings.webhooks && createSealer(settings.webhooks.identityKey),
    mailing,
    webhooks,
    async stop() {
      await mailing?.stop();
      await webhooks?.stop();
    },
  };
}
