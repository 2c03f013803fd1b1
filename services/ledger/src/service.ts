import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { PrismaPg } from "@prisma/adapter-pg";
import { GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { repeat } from "@tollgate/core/repeat";
import { usageBrokerOf } from "@tollgate/metering/broker/usage-broker";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { SlotService } from "@tollgate/proto/tollgate/v1/slot";
import { bindService, type Implementation } from "@tollgate/rpc/implementation";
import { openDatabase } from "@tollgate/runtime/database/pool";
import { defineService } from "@tollgate/runtime/service";
import type pg from "pg";
import { createCapture } from "./capture.ts";
import { type LedgerConfig, readLedgerConfig } from "./config.ts";
import { consumeUsage } from "./consumer.ts";
import { listConversationEntries, unlinkConversations } from "./conversations.ts";
import { createEntryPartitions } from "./entry-partitions.ts";
import { type Entry, PrismaClient } from "./generated/client.ts";
import { createLedgerHolds, extendHolds } from "./holds.ts";
import { listLimits, setLimits } from "./limits.ts";
import { listOpenHolds } from "./open-holds.ts";
import { sumOverview } from "./overview.ts";
import { orTimeout, type PendingCaptures, trackCaptures } from "./pending-captures.ts";
import { findCharge, findCharges, findMissing, listEntries, sumSpend } from "./read-entries.ts";
import { isRecordable } from "./recordable.ts";
import { releaseExpiredHolds, releaseHold } from "./release.ts";
import { findRequestEntries, findRequests, toRequests } from "./requests.ts";
import { ledgerSchema } from "./schema.ts";
import { releaseSharedHold, takeSharedHold } from "./shared-hold.ts";
import { createSlots } from "./slots.ts";
import { createTrailPartitions } from "./trail-partitions.ts";
import { readLines } from "./usage-lines.ts";
import { sumUsage } from "./usage-sums.ts";
import { verifyLedger } from "./verify/verify.ts";
import { adjust, findWallet, topUp } from "./wallet.ts";
import { createWalletLocks, type WalletLocks } from "./wallet-locks.ts";

const sweepIntervalMs = 1_000;
const partitionIntervalMs = 60 * 60 * 1_000;

/** The service of wallets, holds and ledger entries. No other service changes a balance. */
export const ledger = defineService({
  name: "ledger",
  async setup({ env, log, broker, peerAuth, metrics, migrates, now }) {
    const usageBroker = usageBrokerOf(broker, peerAuth);
    const config = readLedgerConfig(env);
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
    const consumer = usageBroker && consumeUsage(usageBroker, captures.capture, log, metrics);
    const sweep = repeat(() => sweepHolds(pool, log), { everyMs: sweepIntervalMs });
    sweep.wake();
    await createPartitions(pool, config, log);
    const partition = repeat(() => createPartitions(pool, config, log), {
      everyMs: partitionIntervalMs,
    });
    return {
      bindings: [
        bindService(LedgerService, implement({ pool, prisma, config, captures, locks, now })),
        bindService(SlotService, createSlots(pool, prisma)),
      ],
      async stop() {
        await consumer?.stop();
        await sweep.stop();
        await partition.stop();
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
  const { pool, config, captures, locks, now } = parts;
  const { takeHold, growHold } = createLedgerHolds(pool, config.holdMs, captures, locks);
  /** A caller that timed out may have released its hold before it was taken. */
  async function releaseIfAborted(holdId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) await releaseHold(pool, locks, holdId);
  }

  return {
    ...implementReads(parts),
    async hold(request, { signal }) {
      const { holdId } = request;
      const grant = await takeHold(request, signal);
      await releaseIfAborted(holdId, signal);
      return { ...grant, expiresInMs: config.holdMs };
    },
    async growHold(request, { signal }) {
      const { heldNanoUsd: addedNanoUsd, ...grant } = await growHold(request, signal);
      return { addedNanoUsd, ...grant };
    },
    async takeSharedHold(shared, { signal }) {
      const { accountId, holdId } = shared;
      const grant = await locks.run(accountId, () => takeSharedHold(pool, shared, config.holdMs));
      if (grant.granted) await releaseIfAborted(holdId, signal);
      return { ...grant, expiresInMs: config.holdMs };
    },
    async releaseSharedHold(unused) {
      await locks.run(unused.accountId, () => releaseSharedHold(pool, unused));
      return {};
    },
    async extendHolds({ holdIds }) {
      await extendHolds(pool, locks, holdIds, config.holdMs);
      return {};
    },
    async releaseHold({ holdId, keepsRequest }) {
      await releaseHold(pool, locks, holdId, keepsRequest);
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
    topUp: ({ accountId, amountNanoUsd, reference }) =>
      locks.run(accountId, () => topUp(pool, { accountId, amountNanoUsd, reference, at: now() })),
    adjust: ({ accountId, amountNanoUsd, reason, reference }) =>
      locks.run(accountId, () =>
        adjust(pool, { accountId, amountNanoUsd, reason, reference, at: now() }),
      ),
    async setLimits({ accountId, ownerId, limits }) {
      const use = await locks.run(accountId, () => setLimits(pool, { accountId, ownerId, limits }));
      return use === undefined ? {} : { use };
    },
    async unlinkConversations({ accountId, conversationIds }, { signal }) {
      await unlinkConversations(pool, locks, { accountId, conversationIds }, signal);
      return {};
    },
  };
}

/** Reads that follow a request include all usage that this replica has received. */
function implementReads({ pool, prisma, config, captures }: LedgerParts) {
  /** Captures what is pending of an account, or of all, so that a read finds it. */
  const flush = (accountId?: string) => orTimeout(captures.flush(accountId) ?? Promise.resolve());

  return {
    async confirmUsage({ eventIds }) {
      return { missingEventIds: await findMissing(pool, eventIds) };
    },
    async getWallet({ accountId }) {
      await flush(accountId);
      const wallet = await findWallet(pool, accountId);
      return wallet === undefined ? {} : { wallet };
    },
    async listLimits({ ownerIds }) {
      await flush();
      return { uses: await listLimits(pool, ownerIds) };
    },
    async getSpend({ accountId, from }) {
      await flush(accountId);
      return { spendNanoUsd: await sumSpend(pool, accountId, dateOf(from)) };
    },
    async sumUsage({ accountId, from, to, by, filter }) {
      await flush(accountId || undefined);
      return sumUsage(pool, { accountId, from: dateOf(from), to: dateOf(to), by, filter });
    },
    async listOpenHolds(page) {
      return listOpenHolds(prisma, page);
    },
    async findRequests({ from, to, ...page }) {
      await flush(page.accountId || undefined);
      const period = { ...(from && { from: dateOf(from) }), ...(to && { to: dateOf(to) }) };
      return findRequests({ pool, prisma }, { ...page, ...period });
    },
    async readRequest(which) {
      await flush(which.accountId || undefined);
      const entries = await findRequestEntries({ prisma }, which);
      const requests = await toRequests({ pool }, entries);
      return { requests, entries: entries.map(toEntry) };
    },
    async sumOverview({ accountId, from, to }) {
      await flush(accountId || undefined);
      return sumOverview(pool, { accountId, from: dateOf(from), to: dateOf(to) });
    },
    async getRetention() {
      const first = await prisma.entry.findFirst({
        select: { recordedAt: true },
        orderBy: [{ id: "asc" }],
      });
      return {
        requestDays: config.requestDays,
        ...(first && { firstEntryAt: timestampFromDate(first.recordedAt) }),
      };
    },
    async findCharges({ accountId, requestIds, withinMs }) {
      await flush(accountId);
      return { charges: await findCharges(pool, { accountId, requestIds, withinMs }) };
    },
    async findCharge({ chargeId }) {
      await flush();
      const chargedNanoUsd = await findCharge(pool, chargeId);
      return chargedNanoUsd === undefined ? {} : { chargedNanoUsd };
    },
    async listEntries(request) {
      await flush();
      const entries = await listEntries(prisma, request);
      return { entries: entries.map(toEntry) };
    },
    async listConversationEntries(query) {
      await flush(query.accountId);
      const { entries, totalNanoUsd, hasMore } = await listConversationEntries(prisma, {
        accountId: query.accountId,
        conversationId: query.conversationId,
      });
      return { entries: entries.map(toEntry), totalNanoUsd, hasMore };
    },
    async verify(_request, { signal }) {
      await flush();
      return verifyLedger(pool, signal);
    },
  } satisfies Partial<Implementation<typeof LedgerService>>;
}

type ReadEntry = Omit<Entry, "providerUsage"> & Partial<Pick<Entry, "providerUsage">>;

/** Returns a row as the fields of a message. */
function toEntry({ conversationId: _link, chargeId: _charge, ...entry }: ReadEntry) {
  return {
    ...entry,
    lines: readLines(entry.lines),
    providerUsage: entry.providerUsage ?? "",
    reason: entry.reason ?? "",
    recordedAt: timestampFromDate(entry.recordedAt),
  };
}

async function sweepHolds(pool: pg.Pool, log: Log): Promise<void> {
  try {
    const released = await releaseExpiredHolds(pool);
    if (released > 0) log.warn({ released }, "expired holds released");
  } catch (error) {
    const reason = (error as Error).message;
    log.warn({ reason }, "release of expired holds failed and will be retried");
  }
}

async function createPartitions(
  pool: pg.Pool,
  { requestDays }: LedgerConfig,
  log: Log,
): Promise<void> {
  try {
    await createEntryPartitions(pool, log);
    await createTrailPartitions(pool, requestDays);
  } catch (error) {
    const reason = (error as Error).message;
    log.warn({ reason }, "creating partitions failed and will be retried");
  }
}

function dateOf(timestamp: Timestamp | undefined): Date {
  if (timestamp === undefined) {
    throw new GatewayError("invalid_param", "A period needs a start and an end.");
  }
  return timestampDate(timestamp);
}
