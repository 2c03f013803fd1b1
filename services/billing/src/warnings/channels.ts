import { randomBytes } from "node:crypto";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import type { Log } from "@tollgate/core/log";
import { WarningChannelKind } from "@tollgate/proto/tollgate/v1/warning";
import { Webhook } from "standardwebhooks";
import type { Prisma, PrismaClient, WarningChannel } from "../generated/client.ts";
import { type MessageOutbox, openOutbox, RefusedError } from "../outbox/outbox.ts";
import { createSealer, type Sealer } from "../sealing.ts";
import { postWebhook } from "./post-webhook.ts";
import type { WebhookSettings } from "./settings.ts";

/** What a webhook sends: the address and the secret are those that the channel has by then. */
interface WebhookContent {
  body: string;
}

/** Where a channel sends. */
export interface ChannelTarget {
  /** An e-mail address, or a URL. */
  target: string;
  /** Signs the messages of a webhook; else empty. */
  secret: string;
}

/** Sends webhooks. */
export interface Webhooks {
  outbox: MessageOutbox<WebhookContent>;
  sealer: Sealer;
  allowsPrivate: boolean;
  /** Sends a message now. Throws a WebhookError where the receiver does not take it. */
  post(channel: WarningChannel, id: string, body: string): Promise<void>;
}

const maxChannels = 10;

/** Begins to send webhooks. Returns what adds them, and what ends it. */
export function startWebhooks(
  { identityKey, allowsPrivate }: WebhookSettings,
  { prisma, log, now }: { prisma: PrismaClient; log: Log; now(): Date },
): Webhooks & { stop(): Promise<void> } {
  const sealer = createSealer(identityKey);

  async function post(channel: WarningChannel, id: string, body: string): Promise<void> {
    const { target: url, secret } = openTarget(sealer, channel);
    const headers = secret === "" ? {} : signatureOf({ id, body, secret, at: now() });
    await postWebhook({ url, headers, body }, { allowsPrivate });
  }

  const outbox = openOutbox<WebhookContent>({
    ...{ prisma, sealer, log, now, queue: "webhook" },
    async send({ id, channelId, content }) {
      const channel = await prisma.warningChannel.findUnique({ where: { id: channelId } });
      if (channel === null) throw new RefusedError("the channel was removed");
      await post(channel, id, content.body);
    },
  });
  return { outbox, sealer, allowsPrivate, post, stop: () => outbox.stop() };
}

/** Returns the headers of Standard Webhooks. The time is that of the attempt. */
function signatureOf(message: { id: string; body: string; secret: string; at: Date }) {
  const { id, body, secret, at } = message;
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, at, body),
  };
}

/** Returns where a channel sends. */
export function openTarget(sealer: Sealer, { id, sealed }: WarningChannel): ChannelTarget {
  return JSON.parse(sealer.open(sealed, id)) as ChannelTarget;
}

/**
 * Creates a channel of an account, or of the gateway. The secret of a webhook is returned only here, and
 * stored encrypted. Throws `invalid_param` where the account has too many channels.
 */
export async function createChannel(
  database: Prisma.TransactionClient,
  sealer: Sealer,
  channel: { accountId: string; kind: WarningChannelKind; target: string },
  now: Date,
): Promise<{ stored: WarningChannel; secret: string }> {
  const { accountId, kind, target } = channel;
  if ((await database.warningChannel.count({ where: { accountId } })) >= maxChannels) {
    throw invalidParam("kind", `cannot be added: there are ${maxChannels} channels`);
  }
  const isSigned = kind === WarningChannelKind.WEBHOOK;
  const secret = isSigned ? `whsec_${randomBytes(24).toString("base64")}` : "";
  const id = newId("channel");
  const sealed = sealer.seal(JSON.stringify({ target, secret } satisfies ChannelTarget), id);
  const data = { id, accountId, kind: channelKindText(kind), sealed, createdAt: now };
  return { stored: await database.warningChannel.create({ data }), secret };
}

/** Resolves with a channel of an account, or of the gateway. Throws `not_found`. */
export async function requireChannel(
  database: Prisma.TransactionClient,
  accountId: string,
  id: string,
): Promise<WarningChannel> {
  const channel = await database.warningChannel.findFirst({ where: { id, accountId } });
  if (channel !== null) return channel;
  const message = `There is no channel with the id ${id}.`;
  throw new GatewayError("not_found", message, { param: "channel_id" });
}

/** Resolves with whether a channel of mail may have an address: that of a member of the account. */
export async function isMailAllowed(
  database: Prisma.TransactionClient,
  accountId: string,
  email: string,
): Promise<boolean> {
  // The gateway's own channels are set by operators.
  if (accountId === "") return true;
  const person = { email, disabledAt: null };
  return (await database.member.count({ where: { accountId, person } })) > 0;
}

/** Returns a kind as it is stored. Throws `invalid_param` for one that is none. */
export function channelKindText(kind: WarningChannelKind): string {
  const name = kind === WarningChannelKind.UNSPECIFIED ? undefined : WarningChannelKind[kind];
  if (name === undefined) throw invalidParam("kind", "must be mail, webhook or slack");
  return name.toLowerCase();
}
