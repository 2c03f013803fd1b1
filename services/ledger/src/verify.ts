import { formatUsd } from "@tollgate/kit/money";
import type { PrismaClient } from "./generated/client.ts";

export interface Verification {
  wallets: bigint;
  entries: bigint;
  openHolds: bigint;
  /** One line for each wallet that does not add up. */
  discrepancies: string[];
}

/**
 * Holds every wallet against its entries and its holds, in one snapshot: the entries add up to the
 * balance, the holds to what is held, and entries without a wallet moved no money.
 */
export async function verifyLedger(prisma: PrismaClient): Promise<Verification> {
  return prisma.$transaction(
    async (snapshot) => {
      const wrong = await snapshot.$queryRaw<Discrepancy[]>`
        WITH e AS (SELECT account_id, sum(amount_nano_usd) AS entries FROM entry GROUP BY 1),
             h AS (SELECT account_id, sum(amount_nano_usd) AS holds FROM hold GROUP BY 1),
             w AS (SELECT account_id, balance_nano_usd AS balance, held_nano_usd AS held FROM wallet)
        SELECT account_id, coalesce(balance, 0)::bigint AS balance, coalesce(held, 0)::bigint AS held,
          coalesce(entries, 0)::bigint AS entries, coalesce(holds, 0)::bigint AS holds
        FROM w FULL JOIN e USING (account_id) FULL JOIN h USING (account_id)
        WHERE coalesce(balance, 0) <> coalesce(entries, 0) OR coalesce(held, 0) <> coalesce(holds, 0)
        ORDER BY account_id LIMIT 1000`;
      return {
        wallets: BigInt(await snapshot.wallet.count()),
        entries: BigInt(await snapshot.entry.count()),
        openHolds: BigInt(await snapshot.hold.count()),
        discrepancies: wrong.map(describe),
      };
    },
    { isolationLevel: "RepeatableRead", timeout: 120_000 },
  );
}

interface Discrepancy {
  account_id: string;
  balance: bigint;
  held: bigint;
  entries: bigint;
  holds: bigint;
}

function describe(row: Discrepancy): string {
  return (
    `${row.account_id}: balance ${formatUsd(row.balance)}, entries add up to ` +
    `${formatUsd(row.entries)}; held ${formatUsd(row.held)}, holds add up to ${formatUsd(row.holds)}`
  );
}
