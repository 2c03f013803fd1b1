import { formatUsd } from "@tollgate/core/money";
import { check, eachSlice, inSlice, lineLimit, type VerificationRun } from "./verification-run.ts";

/**
 * Checks that each wallet's balance is what its account was credited, and what adjustments added,
 * less what it spent, that what it
 * holds is the sum of its holds, that no hold lacks a wallet, and that none expired more than ten
 * minutes ago: the ledger releases them every second. The entries of attached months are compared
 * with credits and spend elsewhere, so this holds for detached months too.
 */
export async function verifyWallets(run: VerificationRun): Promise<void> {
  const key = ["account_id"];
  const wallets = { name: "wallet", key, first: [""], rows: 200 };
  await eachSlice(run, wallets, async (after, last) => {
    const own = inSlice(key, last);
    const text = `
      WITH c AS (SELECT account_id, sum(credited_nano_usd) AS credited
                 FROM credit WHERE ${own} GROUP BY 1),
           a AS (SELECT account_id, sum(amount_nano_usd) AS adjusted
                 FROM adjustment WHERE ${own} GROUP BY 1),
           s AS (SELECT account_id, sum(charged_nano_usd) AS spent
                 FROM spend_hour WHERE ${own} GROUP BY 1),
           h AS (SELECT account_id, sum(amount_nano_usd) AS holds
                 FROM hold WHERE ${own} GROUP BY 1),
           w AS (SELECT account_id, balance_nano_usd AS balance, held_nano_usd AS held
                 FROM wallet WHERE ${own})
      SELECT account_id, coalesce(balance, 0) AS balance, coalesce(held, 0) AS held,
        (coalesce(credited, 0) + coalesce(adjusted, 0) - coalesce(spent, 0))::bigint AS entries,
        coalesce(holds, 0)::bigint AS holds
      FROM w FULL JOIN c USING (account_id) FULL JOIN a USING (account_id) FULL JOIN s USING (account_id)
        FULL JOIN h USING (account_id)
      WHERE coalesce(balance, 0) <> coalesce(credited, 0) + coalesce(adjusted, 0) - coalesce(spent, 0)
        OR coalesce(held, 0) <> coalesce(holds, 0)
      ORDER BY account_id LIMIT ${lineLimit}`;
    const values = [...after, ...(last ?? [])];
    await check<Wallet>(run, () => ({ text, values }), describeWallet);
  });
  await check<Hold>(run, () => ({ text: expiredSql }), describeHold);
}

interface Wallet {
  account_id: string;
  balance: bigint;
  held: bigint;
  entries: bigint;
  holds: bigint;
}

function describeWallet({ account_id, balance, held, entries, holds }: Wallet): string {
  return (
    `${account_id}: balance ${formatUsd(balance)}, sum of entries ${formatUsd(entries)}; ` +
    `held ${formatUsd(held)}, sum of holds ${formatUsd(holds)}`
  );
}

const expiredSql = `
  SELECT id, account_id, expires_at FROM hold
  WHERE expires_at < now() - interval '10 minutes' ORDER BY expires_at LIMIT ${lineLimit}`;

interface Hold {
  id: string;
  account_id: string;
  expires_at: Date;
}

function describeHold({ id, account_id, expires_at }: Hold): string {
  return `hold ${id} of ${account_id}: expired at ${expires_at.toISOString()}, and not released`;
}
