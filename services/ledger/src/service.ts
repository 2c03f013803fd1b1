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
import { type LedgerConfig, readConfig } from "./config.ts";
import { consumeUsage } from "./consumer.ts";
import { listConversationEntries, unlinkConversations } from "./conversations.ts";
import { type Entry, PrismaClient } from "./generated/client.ts";
import { createHolds, extendHolds } from "./holds.ts";
import { orTimeout, type PendingCaptures, trackCaptures } from "./pending-captures.ts";
import { findCharge, findCharges, findMissing, listEntries, sumSpend } from "./read-entries.ts";
import { isRecordable } from "./recordable.ts";
import { releaseExpiredHolds, releaseHold } from "./release.ts";
import { ledgerSchema } from "./schema.ts";
import { releaseSharedHold, takeSharedHold } from "./shared-hold.ts";
import { verifyLedger } from "./verify.ts";
import { findWallet, topUp } from "./wallet.ts";
import { createWalletLocks, type WalletLocks } from "./wallet-locks.ts";

const sweepIntervalMs = 1_000;

/** The service of wallets, holds and ledger entries. No other service changes a balance. */
export const ledger = defineService({
  name: "ledger",
  async setup({ env, log, broker, metrics, migrates, now }) {
    const config = readConfig(env);
    const pool = await openDatabase({
      url: config.databaseUrl,
      schema: ledgerSchema,
      migrates,
      maxConnections: config.databaseConnections,
      log,
      // Every frequent statement looks rows up by key. A plan made while the tables are empty would
      // scan them, and a prepared statement keeps its plan as they grow.
      settings: { enable_seqscan: "off" },
    });
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "ledger" }) });
    const locks = createWalletLocks(pool);
    const captures = trackCaptures(createCapture(pool, metrics, locks));
    const consumer = broker && consumeUsage(broker, captures.capture, log, metrics);
    const sweep = startSweep(pool, log);
    return {
      bindings: [
        bindService(LedgerService, implement({ pool, prisma, config, captures, locks, now })),
      ],
      async stop() {
        await consumer?.stop();
        await sweep.stop();
        await prisma.$disconnect();
        await pool.end();
      },
    };
  },
});

interface LedgerParts {
  pool: pg.Pool;
  prisma: PrismaClient;
  config: LedgerConfig;
  captures: PendingCaptures;
  locks: WalletLocks;
  now(): Date;
}

function implement(parts: LedgerParts): Implementation<typeof LedgerService> {
  const { pool, prisma, config, captures, locks, now } = parts;
  const { takeHold, growHold } = createHolds(pool, config.holdMs, captures, locks);
  /** A caller that timed out may have released its hold before it was taken. */
  async function releaseIfAborted(holdId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) await releaseHold(pool, locks, holdId);
  }

  const flushAll = () => orTimeout(captures.flush() ?? Promise.resolve());

  return {
    async hold(request, { signal }) {
      const { holdId } = request;
      const grant = await takeHold(request, signal);
      if (grant.heldNanoUsd > 0n) await releaseIfAborted(holdId, signal);
      return { ...grant, expiresInMs: config.holdMs };
    },
    async growHold({ holdId, accountId, estimateNanoUsd }, { signal }) {
      const grant = await growHold({ holdId, accountId, estimateNanoUsd }, signal);
      return { addedNanoUsd: grant.heldNanoUsd, walletHeldNanoUsd: grant.walletHeldNanoUsd };
    },
    async takeSharedHold({ holdId, accountId, amountNanoUsd }, { signal }) {
      const shared = { holdId, accountId, amountNanoUsd };
      const granted = await locks.run(accountId, () => takeSharedHold(pool, shared, config.holdMs));
      if (granted) await releaseIfAborted(holdId, signal);
      return { granted, expiresInMs: config.holdMs };
    },
    async releaseSharedHold({ holdId, accountId, amountNanoUsd }) {
      const shared = { holdId, accountId, amountNanoUsd };
      await locks.run(accountId, () => releaseSharedHold(pool, shared));
      return {};
    },
    async extendHolds({ holdIds }) {
      await extendHolds(pool, locks, holdIds, config.holdMs);
      return {};
    },
    async releaseHold({ holdId }) {
      await releaseHold(pool, locks, holdId);
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
      await orTimeout(captures.flush(accountId) ?? Promise.resolve());
      const wallet = await findWallet(pool, accountId);
      return wallet === undefined ? {} : { wallet };
    },
    topUp: ({ accountId, amountNanoUsd, reference }) =>
      locks.run(accountId, () => topUp(pool, { accountId, amountNanoUsd, reference, at: now() })),
    async getSpend({ accountId, from }) {
      await orTimeout(captures.flush(accountId) ?? Promise.resolve());
      return { spendNanoUsd: await sumSpend(pool, accountId, dateOf(from)) };
    },
    async findCharges({ accountId, requestIds, withinMs }) {
      await orTimeout(captures.flush(accountId) ?? Promise.resolve());
      return { charges: await findCharges(pool, { accountId, requestIds, withinMs }) };
    },
    async findCharge({ chargeId }) {
      await flushAll();
      const chargedNanoUsd = await findCharge(pool, chargeId);
      return chargedNanoUsd === undefined ? {} : { chargedNanoUsd };
    },
    async listEntries(request) {
      await flushAll();
      const entries = await listEntries(prisma, request);
      return { entries: entries.map(toEntry) };
    },
    async listConversationEntries(query) {
      await orTimeout(captures.flush(query.accountId) ?? Promise.resolve());
      const { entries, totalNanoUsd, hasMore } = await listConversationEntries(prisma, {
        accountId: query.accountId,
        conversationId: query.conversationId,
      });
      return { entries: entries.map(toEntry), totalNanoUsd, hasMore };
    },
    async unlinkConversations({ accountId, conversationIds }, { signal }) {
      await unlinkConversations(pool, locks, { accountId, conversationIds }, signal);
      return {};
    },
    async verify() {
      await flushAll();
      return verifyLedger(prisma);
    },
  };
}

/** Returns a row as the fields of a message, which has none of the nullable columns. */
function toEntry({ conversationId: _link, chargeId: _charge, ...entry }: Entry) {
  return { ...entry, recordedAt: timestampFromDate(entry.recordedAt) };
}

function startSweep(pool: pg.Pool, log: Log) {
  let pending: Promise<void> = Promise.resolve();
  async function sweep(): Promise<void> {
    try {
      const released = await releaseExpiredHolds(pool);
      if (released > 0) log.warn({ released }, "expired holds released");
    } catch (error) {
      const reason = (error as Error).message;
      log.warn({ reason }, "release of expired holds failed and will be retried");
    }
  }
  const timer = setInterval(() => {
    pending = pending.then(sweep);
  }, sweepIntervalMs);
  return {
    async stop() {
      clearInterval(timer);
      await pending;
    },
  };
}

function dateOf(timestamp: Timestamp | undefined): Date {
  if (timestamp === undefined) {
    throw new GatewayError("invalid_param", "A period needs a start.");
  }
  return timestampDate(timestamp);
}
