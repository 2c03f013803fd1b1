import { newId } from "@tollgate/core/ids";
import type { Log } from "@tollgate/core/log";
import { type Repeating, repeat } from "@tollgate/core/repeat";
import type { Prisma, PrismaClient } from "../generated/client.ts";
import type { Sealer } from "../sealing.ts";

/** A mail as text. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Sends one mail. Rejects with a MailRefusedError if another attempt would fail, too. */
export type SendMail = (mail: Mail & { id: string }) => Promise<void>;

/** The server refuses the mail permanently, such as for an address that does not exist. */
export class MailRefusedError extends Error {}

/** Sends each mail at least once. If this replica is killed, another one sends it. */
export interface MailOutbox {
  /** Adds a mail. Call it within the transaction that causes the mail, and `wake` after that transaction. */
  add(database: Prisma.TransactionClient, mail: Mail): Promise<void>;
  /** Sends what was added without waiting for the next round. */
  wake(): void;
  stop(): Promise<void>;
}

export interface MailOutboxParts {
  prisma: PrismaClient;
  sealer: Sealer;
  send: SendMail;
  log: Log;
  now(): Date;
}

const everyMs = 15_000;
const batch = 5;
/** Longer than the timeouts of a transport, so that no other replica sends the same mail meanwhile. */
const leaseMs = 5 * 60_000;
const firstPauseMs = 15_000;
const maxPauseMs = 60 * 60_000;
/** How long after it was added a mail is attempted again. */
const keptMs = 24 * 60 * 60_000;

interface ClaimedMail {
  id: string;
  sealed: Uint8Array;
  attempts: number;
  created_at: Date;
}

/** Creates the outbox, and begins to send what it holds. */
export function openMailOutbox(parts: MailOutboxParts): MailOutbox {
  const { prisma, sealer, log, now } = parts;
  const task: Repeating = repeat(sendAll, { everyMs });

  async function sendAll(): Promise<void> {
    try {
      for (;;) {
        const claimed = await claim(prisma, now());
        await Promise.all(claimed.map((mail) => deliver(parts, mail)));
        if (claimed.length < batch) return;
      }
    } catch (error) {
      log.warn({ err: error }, "the outbox of mail cannot be read");
    }
  }

  return {
    async add(database, mail) {
      const id = newId("mail");
      const sealed = sealer.seal(JSON.stringify(mail), id);
      await database.mail.create({ data: { id, sealed, createdAt: now(), nextAttemptAt: now() } });
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}

/** Leases mail that is due. Replicas that claim at the same time get different mail. */
function claim(prisma: PrismaClient, now: Date): Promise<ClaimedMail[]> {
  const leaseEndsAt = new Date(now.getTime() + leaseMs);
  return prisma.$queryRaw<ClaimedMail[]>`
    UPDATE mail SET attempts = attempts + 1, next_attempt_at = ${leaseEndsAt}
    WHERE id IN (
      SELECT id FROM mail WHERE next_attempt_at <= ${now}
      ORDER BY next_attempt_at LIMIT ${batch} FOR UPDATE SKIP LOCKED)
    RETURNING id, sealed, attempts, created_at`;
}

/** Sends a mail and deletes it, or sets the time of its next attempt. */
async function deliver({ prisma, sealer, send, log, now }: MailOutboxParts, claimed: ClaimedMail) {
  const { id, attempts } = claimed;
  try {
    await send({ ...(JSON.parse(sealer.open(claimed.sealed, id)) as Mail), id });
    await prisma.mail.deleteMany({ where: { id } });
  } catch (error) {
    const pauseMs = Math.min(firstPauseMs * 2 ** (attempts - 1), maxPauseMs);
    const nextAttemptAt = new Date(now().getTime() + pauseMs);
    const isLast = nextAttemptAt.getTime() > claimed.created_at.getTime() + keptMs;
    if (isLast || error instanceof MailRefusedError) {
      log.error({ mail_id: id, attempts, reason: reasonOf(error) }, "mail is given up");
      await prisma.mail.deleteMany({ where: { id } });
      return;
    }
    log.warn({ mail_id: id, attempts, reason: reasonOf(error) }, "mail cannot be sent yet");
    await prisma.mail.updateMany({ where: { id, attempts }, data: { nextAttemptAt } });
  }
}

/** Returns a code, and not the server's message, which may contain the address or parts of the mail. */
function reasonOf(error: unknown): string {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return String(responseCode ?? code ?? (error as Error).name);
}
