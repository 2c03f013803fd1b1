import { formatUsd } from "@tollgate/core/money";
import { check, eachSlice, inSlice, lineLimit, type VerificationRun } from "./verification-run.ts";

/**
 * Checks of each key, end user and account with limits that what it holds and has in progress are the sums of
 * its holds, that what it spent in a period that has not ended is what it was charged in it, and that its
 * wallet knows of the limits; and that each wallet that does has some.
 */
export async function verifyLimits(run: VerificationRun): Promise<void> {
  const limits = { name: "usage_limit", key: ["owner_id"], first: [""], rows: 2_000 };
  await eachSlice(run, limits, async (after, last) => {
    const text = limitsSql(inSlice(limits.key, last));
    const values = [...after, ...(last ?? [])];
    await check<LimitRow>(run, () => ({ text, values }), describeLimit);
  });
  await check<{ account_id: string }>(
    run,
    () => ({ text: unlimitedSql }),
    ({ account_id }) => `${account_id}: the wallet has limits, and none is stored`,
  );
}

/** The charges are summed once for all keys of an account whose period began at one time. */
function limitsSql(own: string): string {
  return `
    WITH l AS (SELECT * FROM usage_limit WHERE ${own}),
      h AS (SELECT account_id, owner_id, sum(amount_nano_usd) AS held,
              sum(in_progress) AS in_progress
            FROM hold, LATERAL (VALUES (account_id), (key_id),
              (end_user_owner_id(key_id, end_user))) AS of (owner_id)
            WHERE account_id = ANY (ARRAY(SELECT account_id FROM l)) GROUP BY 1, 2),
      p AS (SELECT DISTINCT account_id, period_start FROM l
            WHERE period_end > now() AND key_id IS NULL),
      s AS (SELECT p.account_id, p.period_start, owner_id, sum(c.charged) AS charged
            FROM p, LATERAL sum_charges_since(p.account_id, p.period_start) c,
              LATERAL (VALUES (p.account_id), (c.key_id)) AS of (owner_id) GROUP BY 1, 2, 3
            UNION ALL SELECT account_id, period_start, owner_id,
              sum_end_user_charges(account_id, key_id, end_user, period_start)
            FROM l WHERE period_end > now() AND key_id IS NOT NULL)
    SELECT l.owner_id, l.account_id, l.held_nano_usd AS held, l.in_progress,
      l.spent_nano_usd AS spent, coalesce(h.held, 0)::bigint AS holds,
      coalesce(h.in_progress, 0)::bigint AS requests, coalesce(s.charged, 0)::bigint AS charged,
      coalesce(w.has_limits, false) AS is_known
    FROM l LEFT JOIN h USING (account_id, owner_id)
      LEFT JOIN s USING (account_id, period_start, owner_id)
      LEFT JOIN LATERAL (
        SELECT has_limits FROM wallet w WHERE w.account_id = l.account_id LIMIT 1) w ON true
    WHERE (l.held_nano_usd, l.in_progress) <> (coalesce(h.held, 0), coalesce(h.in_progress, 0))
      OR l.period_end > now() AND l.spent_nano_usd <> coalesce(s.charged, 0)
      OR w.has_limits IS NOT TRUE
    ORDER BY l.owner_id LIMIT ${lineLimit}`;
}

interface LimitRow {
  owner_id: string;
  account_id: string;
  held: bigint;
  holds: bigint;
  in_progress: bigint;
  requests: bigint;
  spent: bigint;
  charged: bigint;
  is_known: boolean;
}

function describeLimit(row: LimitRow): string {
  const { owner_id, account_id, held, holds, in_progress, requests, spent, charged } = row;
  if (!row.is_known) return `limits of ${owner_id}: the wallet of ${account_id} has none`;
  return (
    `limits of ${owner_id}: held ${formatUsd(held)}, sum of holds ${formatUsd(holds)}; ` +
    `in progress ${in_progress}, in holds ${requests}; ` +
    `spent ${formatUsd(spent)}, charged in the period ${formatUsd(charged)}`
  );
}

const unlimitedSql = `
  SELECT account_id FROM wallet w
  WHERE has_limits AND NOT EXISTS (SELECT FROM usage_limit l WHERE l.account_id = w.account_id)
  ORDER BY account_id LIMIT ${lineLimit}`;
