import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { PrismaPg } from "@prisma/adapter-pg";
import { GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { bindService, type Implementation } from "@tollgate/rpc/implementation";
import { openDatabase } from "@tollgate/runtime/database/pool";
import { defineService } from "@tollgate/runtime/service";
import type pg from "pg";
import { createCapture } from "./capture.ts";
import { type CapturesUnderWay, endedSoon, followCaptures } from "./captures-under-way.ts";
import { type LedgerConfig, readConfig } from "./config.ts";
import { consumeUsage } from "./consumer.ts";
import { listConversationEntries, unlinkConversations } from "./conversations.ts";
import { type Entry, PrismaClient } from "./generated/client.ts";
import { createHolds, extendHolds } from "./hold.ts";
import { findCharge, findCharges, findMissing, listEntries, sumSpend } from "./read-entries.ts";
import { isRecordable } from "./recordable.ts";
import { releaseHold, sweepExpiredHolds } from "./release.ts";
import { ledgerSchema } from "./schema.ts";
import { giveBack, shareHold } from "./shared-hold.ts";
import { verifyLedger } from "./verify.ts";
import { findWallet, topUp } from "./wallet.ts";

const sweepEveryMs = 1_000;

/** Wallets, holds and ledger entries: the only service that moves money. */
export const ledger = defineService({
  name: "ledger",
  async setup({ env, log, broker, metrics, migrates, tracer, now }) {
    const config = readConfig(env);
    const pool = await openDatabase({
      url: config.databaseUrl,
      schema: ledgerSchema,
      migrates,
      maxConnections: config.databaseConnections,
      log,
      // Every hot statement looks rows up by key. A plan made while the tables were still empty
      // would scan them, and a prepared statement keeps its plan as they grow.
      settings: { enable_seqscan: "off" },
    });
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "ledger" }) });
    const captures = followCaptures(createCapture(pool, metrics));
    const consumer = broker && consumeUsage(broker, captures.capture, log, metrics, tracer);
    const sweep = startSweep(pool, log);
    return {
      bindings: [bindService(LedgerService, implement(pool, prisma, config, captures, now))],
      async stop() {
        await consumer?.stop();
        await sweep.stop();
        await prisma.$disconnect();
        await pool.end();
      },
    };
  },
});

function implement(
  pool: pg.Pool,
  prisma: PrismaClient,
  config: LedgerConfig,
  captures: CapturesUnderWay,
  now: () => Date,
): Implementation<typeof LedgerService> {
  const { takeHold, growHold } = createHolds(pool, config.holdMs, captures);
  /** A caller that has gone may have released its hold before that was there. */
  async function releaseOfGone(holdId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) await releaseHold(pool, holdId);
  }

  return {
    async hold({ holdId, accountId, estimateNanoUsd }, { signal }) {
      const grant = await takeHold({ holdId, accountId, estimate: estimateNanoUsd }, signal);
      if (grant.held > 0n) await releaseOfGone(holdId, signal);
      return {
        heldNanoUsd: grant.held,
        walletHeldNanoUsd: grant.walletHeld,
        expiresInMs: config.holdMs,
      };
    },
    async growHold({ holdId, accountId, estimateNanoUsd }, { signal }) {
      const grant = await growHold({ holdId, accountId, estimate: estimateNanoUsd }, signal);
      return { addedNanoUsd: grant.held, walletHeldNanoUsd: grant.walletHeld };
    },
    async shareHold({ holdId, accountId, amountNanoUsd: amount }, { signal }) {
      const granted = await shareHold(pool, { holdId, accountId, amount }, config.holdMs);
      if (granted) await releaseOfGone(holdId, signal);
      return { granted, expiresInMs: config.holdMs };
    },
    async giveBack({ holdId, accountId, amountNanoUsd: amount }) {
      await giveBack(pool, { holdId, accountId, amount });
      return {};
    },
    async extendHolds({ holdIds }) {
      await extendHolds(pool, holdIds, config.holdMs);
      return {};
    },
    async releaseHold({ holdId }) {
      await releaseHold(pool, holdId);
      return {};
    },
    async recordUsage({ events }) {
      if (!events.every(isRecordable)) {
        throw new GatewayError("invalid_param", "An event cannot be recorded.", {
          param: "events",
        });
      }
      await Promise.all(events.map(captures.capture));
      return {};
    },
    async confirmUsage({ eventIds }) {
      return { missingEventIds: await findMissing(pool, eventIds) };
    },
    async getWallet({ accountId }) {
      await endedSoon(captures.ended() ?? Promise.resolve());
      const wallet = await findWallet(pool, accountId);
      return wallet === undefined ? {} : { wallet };
    },
    topUp: ({ accountId, amountNanoUsd, reference }) =>
      topUp(pool, { accountId, amountNanoUsd, reference, at: now() }),
    async getSpend({ accountId, from }) {
      await captures.ended();
      return { spendNanoUsd: await sumSpend(pool, accountId, dateOf(from)) };
    },
    async findCharges({ accountId, requestIds, withinMs }) {
      await captures.ended();
      return { charges: await findCharges(pool, { accountId, requestIds, withinMs }) };
    },
    async findCharge({ chargeId }) {
      await captures.ended();
      const chargedNanoUsd = await findCharge(pool, chargeId);
      return chargedNanoUsd === undefined ? {} : { chargedNanoUsd };
    },
    async listEntries(request) {
      await captures.ended();
      const entries = await listEntries(prisma, request);
      return { entries: entries.map(toEntry) };
    },
    async listConversationEntries(query) {
      await captures.ended();
      const entries = await listConversationEntries(prisma, {
        accountId: query.accountId,
        conversationId: query.conversationId,
      });
      return { entries: entries.map(toEntry) };
    },
    async unlinkConversations({ accountId, conversationIds }, { signal }) {
      await unlinkConversations(pool, { accountId, conversationIds }, signal);
      return {};
    },
    async verify() {
      await captures.ended();
      return verifyLedger(prisma);
    },
  };
}

/** A row as a message: what it lacks by type, a message says by an empty text. */
function toEntry({ conversationId: _link, chargeId: _charge, ...entry }: Entry) {
  return { ...entry, recordedAt: timestampFromDate(entry.recordedAt) };
}

function startSweep(pool: pg.Pool, log: Log) {
  let underWay: Promise<void> = Promise.resolve();
  async function sweep(): Promise<void> {
    try {
      const released = await sweepExpiredHolds(pool);
      if (released > 0) log.warn({ released }, "expired holds given back");
    } catch (error) {
      log.warn({ reason: (error as Error).message }, "sweep failed, the next one tries again");
    }
  }
  const timer = setInterval(() => {
    underWay = underWay.then(sweep);
  }, sweepEveryMs);
  return {
    async stop() {
      clearInterval(timer);
      await underWay;
    },
  };
}

function dateOf(timestamp: Timestamp | undefined): Date {
  if (timestamp === undefined) {
    throw new GatewayError("invalid_param", "A period has a start.");
  }
  return timestampDate(timestamp);
}
