import { PrismaPg } from "@prisma/adapter-pg";
import type { Log } from "@tollgate/core/log";
import { repeat } from "@tollgate/core/repeat";
import { usageBrokerOf } from "@tollgate/metering/broker/usage-broker";
import { CreditService } from "@tollgate/proto/tollgate/v1/credit";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { SlotService } from "@tollgate/proto/tollgate/v1/slot";
import { bindService, type Implementation } from "@tollgate/rpc/implementation";
import { openDatabase } from "@tollgate/runtime/database/pool";
import { defineService } from "@tollgate/runtime/service";
import type pg from "pg";
import { createCapture } from "./capture.ts";
import { type LedgerConfig, readLedgerConfig } from "./config.ts";
import { consumeUsage } from "./consumer.ts";
import { createEntryPartitions } from "./entry-partitions.ts";
import { PrismaClient } from "./generated/client.ts";
import { implementCredits } from "./implement-credits.ts";
import { implementEntries } from "./implement-entries.ts";
import { implementHolds } from "./implement-holds.ts";
import { implementUsage } from "./implement-usage.ts";
import { implementWalletCalls } from "./implement-wallets.ts";
import type { LedgerParts } from "./ledger-parts.ts";
import { deleteEndedUsers } from "./limits.ts";
import { trackCaptures } from "./pending-captures.ts";
import { recordLostRequests, releaseExpiredHolds } from "./release.ts";
import { collectDebts } from "./reversals.ts";
import { ledgerSchema } from "./schema.ts";
import { createSlotUses, forgetSlotUses } from "./slot-uses.ts";
import { createSlots } from "./slots.ts";
import { createTrailPartitions } from "./trail-partitions.ts";
import { createWalletLocks } from "./wallet-locks.ts";

const sweepIntervalMs = 1_000;
const endedUsersIntervalMs = 60_000;
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
    const sweep = repeat(() => sweepHolds(pool, config, log), { everyMs: sweepIntervalMs });
    sweep.wake();
    await createPartitions(pool, config, log);
    const partition = repeat(() => createPartitions(pool, config, log), {
      everyMs: partitionIntervalMs,
    });
    const endedUsers = repeat(() => sweepEndedUsers(pool, log), { everyMs: endedUsersIntervalMs });
    const queuedMessages = () => consumer?.lag() ?? captures.count();
    const parts = { pool, prisma, config, captures, locks, now, queuedMessages };
    return {
      bindings: [
        bindService(
          LedgerService,
          implement(parts),
          // A service that calls providers can neither mint money nor lift a limit.
          ["topUp", "adjust", "setLimits", "setTimeZone"],
        ),
        bindService(CreditService, implementCredits(parts), [
          "reverseTopUp",
          "undoReversal",
          "refundCharge",
        ]),
        bindService(SlotService, { ...createSlots(pool, prisma), ...createSlotUses(pool) }, [
          "setSlot",
        ]),
      ],
      async stop() {
        await consumer?.stop();
        await sweep.stop();
        await endedUsers.stop();
        await partition.stop();
        await prisma.$disconnect();
        await pool.end();
      },
    };
  },
});

function implement(parts: LedgerParts): Implementation<typeof LedgerService> {
  return {
    ...implementHolds(parts),
    ...implementWalletCalls(parts),
    ...implementUsage(parts),
    ...implementEntries(parts),
  };
}

async function sweepHolds(pool: pg.Pool, { lateMs }: LedgerConfig, log: Log): Promise<void> {
  try {
    const released = await releaseExpiredHolds(pool, lateMs);
    if (released > 0) log.warn({ released }, "expired holds released");
    const lost = await recordLostRequests(pool);
    if (lost > 0) log.warn({ lost }, "requests of processes that died recorded as failures");
    await forgetSlotUses(pool);
    const accounts = await collectDebts(pool);
    if (accounts > 0) log.info({ accounts }, "debts collected");
  } catch (error) {
    const reason = (error as Error).message;
    log.warn({ reason }, "release of expired holds failed and will be retried");
  }
}

async function sweepEndedUsers(pool: pg.Pool, log: Log): Promise<void> {
  try {
    await deleteEndedUsers(pool);
  } catch (error) {
    const reason = (error as Error).message;
    log.warn({ reason }, "deletion of the limits of end users failed and will be retried");
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
