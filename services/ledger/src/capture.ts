import { createBatch } from "@tollgate/kit/batch";
import { isStatementFault } from "@tollgate/kit/database/pool";
import { newId } from "@tollgate/kit/ids";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { entryColumns, usageEntry, writeEntriesSql } from "./entries.ts";
import { type Settlement, settle, type WalletState } from "./settlement.ts";
import { inTransaction } from "./transaction.ts";

const batchLimit = 256;

/**
 * Captures usage events, many in one transaction. Resolves once the event's entry is committed,
 * also when an earlier delivery of the same event had written it: then nothing changes.
 */
export function createCapture(pool: pg.Pool): (event: UsageEvent) => Promise<void> {
  return createBatch({
    run: async (events) => {
      await captureBatch(pool, events);
      return events.map(() => undefined);
    },
    limit: batchLimit,
    isolates: isStatementFault,
  });
}

async function captureBatch(pool: pg.Pool, events: readonly UsageEvent[]): Promise<void> {
  await inTransaction(pool, async (client) => {
    const accountIds = [...new Set(events.map((event) => event.accountId))];
    const wallets = await lockWallets(client, accountIds);
    // Read after the lock: a replica that had these events first has committed by now.
    const { recorded, holds } = await readRecordedAndHolds(client, events);
    const settlements: Settlement[] = [];
    for (const event of events) {
      if (recorded.has(event.id)) continue;
      recorded.add(event.id);
      const wallet = wallets.get(event.accountId) ?? { balance: 0n, held: 0n };
      settlements.push(settle(wallet, holds.get(event.holdId) ?? 0n, event));
      holds.delete(event.holdId);
    }
    if (settlements.length > 0) await write(client, settlements, wallets);
  });
}

async function lockWallets(
  client: pg.PoolClient,
  accountIds: readonly string[],
): Promise<Map<string, WalletState>> {
  const { rows } = await client.query<{ account_id: string; balance: bigint; held: bigint }>({
    name: "lock-wallets",
    text: `SELECT account_id, balance_nano_usd AS balance, held_nano_usd AS held
      FROM wallet WHERE account_id = ANY ($1) ORDER BY account_id FOR UPDATE`,
    values: [accountIds],
  });
  return new Map(rows.map(({ account_id, balance, held }) => [account_id, { balance, held }]));
}

async function readRecordedAndHolds(client: pg.PoolClient, events: readonly UsageEvent[]) {
  const { rows } = await client.query<{ id: string; amount: bigint | null }>({
    name: "read-recorded-and-holds",
    text: `SELECT event_id AS id, NULL::bigint AS amount FROM entry WHERE event_id = ANY ($1)
      UNION ALL SELECT id, amount_nano_usd FROM hold WHERE id = ANY ($2)`,
    values: [events.map((event) => event.id), events.map((event) => event.holdId)],
  });
  const recorded = new Set<string>();
  const holds = new Map<string, bigint>();
  for (const { id, amount } of rows) {
    if (amount === null) recorded.add(id);
    else holds.set(id, amount);
  }
  return { recorded, holds };
}

async function write(
  client: pg.PoolClient,
  settlements: readonly Settlement[],
  wallets: ReadonlyMap<string, WalletState>,
): Promise<void> {
  const entries = settlements.map((settlement) => usageEntry(newId("entry"), settlement));
  const accountIds = [...wallets.keys()];
  await client.query({
    name: "write-settlements",
    text: writeSettlementsSql,
    values: [
      ...entryColumns(entries),
      settlements.map(({ event }) => event.holdId),
      accountIds,
      accountIds.map((id) => wallets.get(id)?.balance),
      accountIds.map((id) => wallets.get(id)?.held),
    ],
  });
}

/** The wallets are locked and were read under the lock, so their new amounts are set as computed. */
const writeSettlementsSql = `
  WITH written AS (${writeEntriesSql}),
  settled AS (DELETE FROM hold WHERE id = ANY ($22::text[]))
  UPDATE wallet w SET balance_nano_usd = s.balance, held_nano_usd = s.held
  FROM unnest($23::text[], $24::bigint[], $25::bigint[]) AS s (account_id, balance, held)
  WHERE w.account_id = s.account_id`;
