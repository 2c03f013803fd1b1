import { newId } from "@tollgate/core/ids";
import type { Log } from "@tollgate/core/log";
import { type Repeating, repeat } from "@tollgate/core/repeat";
import type { Prisma, PrismaClient } from "../generated/client.ts";
import type { Sealer } from "../sealing.ts";

/** The receiver refuses the message permanently: another attempt would fail, too. */
export class RefusedError extends Error {}

/** Sends each message at least once. If this replica is killed, another one sends it. */
export interface MessageOutbox<Content> {
  /**
   * Adds a message, of a channel of warnings or of none. Call it within the transaction that causes the
   * message, and `wake` after that transaction.
   */
  add(database: Prisma.TransactionClient, content: Content, channelId?: string): Promise<void>;
  /** Sends what was added without waiting for the next round. */
  wake(): void;
  stop(): Promise<void>;
}

/** A message that is sent now. */
export interface Outgoing<Content> {
  id: string;
  /** The channel of warnings that it is for. Empty: none. */
  channelId: string;
  content: Content;
}

export interface OutboxParts<Content> {
  prisma: PrismaClient;
  sealer: Sealer;
  /** Mail and webhooks wait apart, so that a slow receiver of one does not delay the other. */
  queue: "mail" | "webhook";
  /** Sends a message. Rejects with a RefusedError if another attempt would fail, too. */
  send(message: Outgoing<Content>): Promise<void>;
  log: Log;
  now(): Date;
}

const everyMs = 15_000;
const batch = 5;
/** Longer than the timeouts of a transport, so that no other replica sends the same message meanwhile. */
const leaseMs = 5 * 60_000;
const firstPauseMs = 15_000;
const maxPauseMs = 60 * 60_000;
/** How long after it was added a message is attempted again. */
const keptMs = 24 * 60 * 60_000;

interface ClaimedMessage {
  id: string;
  channel_id: string;
  sealed: Uint8Array;
  attempts: number;
  created_at: Date;
}

/** Creates the outbox of a queue, and begins to send what it holds. */
export function openOutbox<Content>(parts: OutboxParts<Content>): MessageOutbox<Content> {
  const { prisma, sealer, queue, log, now } = parts;
  const task: Repeating = repeat(sendAll, { everyMs });

  async function sendAll(): Promise<void> {
    try {
      for (;;) {
        const claimed = await claim(prisma, queue, now());
        await Promise.all(claimed.map((message) => deliver(parts, message)));
        if (claimed.length < batch) return;
      }
    } catch (error) {
      log.warn({ err: error, queue }, "the outbox cannot be read");
    }
  }

  return {
    async add(database, content, channelId = "") {
      const id = newId("message");
      const sealed = sealer.seal(JSON.stringify(content), id);
      const times = { createdAt: now(), nextAttemptAt: now() };
      await database.outbox.create({ data: { id, queue, channelId, sealed, ...times } });
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}

/** Leases messages that are due. Replicas that claim at the same time get different ones. */
function claim(prisma: PrismaClient, queue: string, now: Date): Promise<ClaimedMessage[]> {
  const leaseEndsAt = new Date(now.getTime() + leaseMs);
  return prisma.$queryRaw<ClaimedMessage[]>`
    UPDATE outbox SET attempts = attempts + 1, next_attempt_at = ${leaseEndsAt}
    WHERE id IN (
      SELECT id FROM outbox WHERE queue = ${queue} AND next_attempt_at <= ${now}
      ORDER BY next_attempt_at LIMIT ${batch} FOR UPDATE SKIP LOCKED)
    RETURNING id, channel_id, sealed, attempts, created_at`;
}

/** Sends a message and deletes it, or sets the time of its next attempt. */
async function deliver<Content>(
  { prisma, sealer, send, log, now, queue }: OutboxParts<Content>,
  claimed: ClaimedMessage,
): Promise<void> {
  const { id, channel_id: channelId, attempts } = claimed;
  try {
    const content = JSON.parse(sealer.open(claimed.sealed, id)) as Content;
    await send({ id, channelId, content });
    await prisma.outbox.deleteMany({ where: { id } });
    await reportAttempt(prisma, channelId, now());
  } catch (error) {
    const reason = reasonOf(error);
    await reportAttempt(prisma, channelId, now(), reason);
    const pauseMs = Math.min(firstPauseMs * 2 ** (attempts - 1), maxPauseMs);
    const nextAttemptAt = new Date(now().getTime() + pauseMs);
    const isLast = nextAttemptAt.getTime() > claimed.created_at.getTime() + keptMs;
    if (isLast || error instanceof RefusedError) {
      log.error({ message_id: id, queue, attempts, reason }, "a message is given up");
      await prisma.outbox.deleteMany({ where: { id } });
      return;
    }
    log.warn({ message_id: id, queue, attempts, reason }, "a message cannot be sent yet");
    await prisma.outbox.updateMany({ where: { id, attempts }, data: { nextAttemptAt } });
    await pauseChannel(prisma, channelId, nextAttemptAt);
  }
}

/** Makes the other messages of a channel wait, too: a receiver that is down must not fill the batches. */
async function pauseChannel(prisma: PrismaClient, channelId: string, until: Date): Promise<void> {
  if (channelId === "") return;
  // A message that another replica sends now has a later time.
  const where = { channelId, nextAttemptAt: { lt: until } };
  await prisma.outbox.updateMany({ where, data: { nextAttemptAt: until } });
}

/** Stores for people when a channel last took a message, and why it last did not. */
export async function reportAttempt(
  prisma: PrismaClient,
  channelId: string,
  at: Date,
  error = "",
): Promise<void> {
  if (channelId === "") return;
  const data = error === "" ? { deliveredAt: at, error: "" } : { error, errorAt: at };
  await prisma.warningChannel.updateMany({ where: { id: channelId }, data });
}

/** Returns a code, and not the text of the error, which may contain an address or parts of the message. */
export function reasonOf(error: unknown): string {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return String(responseCode ?? code ?? (error as Error).name);
}
