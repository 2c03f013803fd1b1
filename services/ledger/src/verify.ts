import { formatUsd } from "@tollgate/core/money";
import type { PrismaClient } from "./generated/client.ts";

export interface Verification {
  wallets: bigint;
  entries: bigint;
  openHolds: bigint;
  /** One line for each discrepancy. */
  discrepancies: string[];
}

const timeoutMs = 60 * 60 * 1_000;

/**
 * Compares the ledger's tables with each other, in one snapshot, and resolves with the
 * discrepancies. These rules hold: a wallet's balance is the sum of its entries, and its held
 * amount the sum of its holds; entries without a wallet charge nothing; an account's spend in an
 * hour is what its entries charge in it; every entry's event is recorded once; a charge id's charge
 * is that of its entry; a charge id that an entry repeats was charged.
 */
export async function verifyLedger(prisma: PrismaClient): Promise<Verification> {
  return prisma.$transaction(
    async (snapshot) => {
      // Every row is read, which is fastest by a scan, and may take longer than other statements.
      await snapshot.$executeRaw`SET LOCAL enable_seqscan = on`;
      await snapshot.$executeRaw`SET LOCAL statement_timeout = 0`;
      const wallets = await snapshot.$queryRaw<WrongWallet[]>`
        WITH e AS (SELECT account_id, sum(amount_nano_usd) AS entries FROM entry GROUP BY 1),
             h AS (SELECT account_id, sum(amount_nano_usd) AS holds FROM hold GROUP BY 1),
             w AS (SELECT account_id, balance_nano_usd AS balance, held_nano_usd AS held
                   FROM wallet)
        SELECT account_id,
          coalesce(balance, 0)::bigint AS balance, coalesce(held, 0)::bigint AS held,
          coalesce(entries, 0)::bigint AS entries, coalesce(holds, 0)::bigint AS holds
        FROM w FULL JOIN e USING (account_id) FULL JOIN h USING (account_id)
        WHERE coalesce(balance, 0) <> coalesce(entries, 0)
          OR coalesce(held, 0) <> coalesce(holds, 0)
        ORDER BY account_id LIMIT 1000`;
      const spends = await snapshot.$queryRaw<WrongSpend[]>`
        WITH e AS (SELECT account_id, date_trunc('hour', recorded_at, 'UTC') AS hour,
                     -sum(amount_nano_usd) AS charged
                   FROM entry WHERE kind = 'usage' GROUP BY 1, 2),
             s AS (SELECT account_id, hour, charged_nano_usd AS recorded FROM spend_hour)
        SELECT account_id, hour,
          coalesce(charged, 0)::bigint AS charged, coalesce(recorded, 0)::bigint AS recorded
        FROM e FULL JOIN s USING (account_id, hour)
        WHERE coalesce(charged, 0) <> coalesce(recorded, 0) ORDER BY account_id, hour LIMIT 1000`;
      const events = await snapshot.$queryRaw<{ event_id: string }[]>`
        SELECT event_id FROM entry WHERE NOT EXISTS (
          SELECT FROM recorded_event r WHERE r.event_id = entry.event_id)
        UNION ALL
        SELECT event_id FROM recorded_event r WHERE NOT EXISTS (
          SELECT FROM entry WHERE r.event_id = entry.event_id)
        LIMIT 1000`;
      const repeated = await snapshot.$queryRaw<{ more: bigint }[]>`
        SELECT (SELECT count(*) FROM entry) - (SELECT count(*) FROM recorded_event) AS more`;
      const charges = await snapshot.$queryRaw<{ charge_id: string }[]>`
        WITH e AS (SELECT charge_id, -sum(amount_nano_usd) AS charged
                   FROM entry WHERE charge_id IS NOT NULL GROUP BY 1)
        SELECT charge_id FROM e FULL JOIN charge c USING (charge_id)
        WHERE e.charged IS DISTINCT FROM c.charged_nano_usd LIMIT 1000`;
      const references = await snapshot.$queryRaw<{ reference: string }[]>`
        SELECT reference FROM entry WHERE kind = 'usage' AND reference <> '' AND NOT EXISTS (
          SELECT FROM charge c WHERE c.charge_id = entry.reference)
        LIMIT 1000`;
      return {
        wallets: BigInt(await snapshot.wallet.count()),
        entries: BigInt(await snapshot.entry.count()),
        openHolds: BigInt(await snapshot.hold.count()),
        discrepancies: [
          ...wallets.map(describeWallet),
          ...spends.map(describeSpend),
          ...events.map(({ event_id }) => `event ${event_id}: not recorded with one entry`),
          ...repeated.filter(({ more }) => more !== 0n).map(describeRepeated),
          ...charges.map(({ charge_id }) => `charge ${charge_id}: differs from its entry`),
          ...references.map(
            ({ reference }) => `charge ${reference}: repeated by an entry, but never charged`,
          ),
        ],
      };
    },
    { isolationLevel: "RepeatableRead", timeout: timeoutMs },
  );
}

interface WrongWallet {
  account_id: string;
  balance: bigint;
  held: bigint;
  entries: bigint;
  holds: bigint;
}

interface WrongSpend {
  account_id: string;
  hour: Date;
  charged: bigint;
  recorded: bigint;
}

function describeRepeated({ more }: { more: bigint }): string {
  return `${more} more entries than recorded events`;
}

function describeWallet(row: WrongWallet): string {
  return (
    `${row.account_id}: balance ${formatUsd(row.balance)}, sum of entries ` +
    `${formatUsd(row.entries)}; held ${formatUsd(row.held)}, sum of holds ` +
    formatUsd(row.holds)
  );
}

function describeSpend({ account_id, hour, charged, recorded }: WrongSpend): string {
  const sums = `entries charge ${formatUsd(charged)}, recorded spend ${formatUsd(recorded)}`;
  return `${account_id}: hour ${hour.toISOString()}: ${sums}`;
}
