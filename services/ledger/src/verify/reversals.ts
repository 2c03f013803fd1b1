import { formatUsd } from "@tollgate/core/money";
import { check, eachSlice, inSlice, lineLimit, type VerificationRun } from "./verification-run.ts";

/**
 * Checks that the amount that each reversal has debited is the sum of its adjustments, which is zero for a
 * reversal that was undone, and that each adjustment of a reversal has its reversal.
 */
export async function verifyReversals(run: VerificationRun): Promise<void> {
  const key = ["account_id"];
  const accounts = { name: "reversal", key, first: [""], rows: 1_000 };
  await eachSlice(run, accounts, async (after, last) => {
    const own = inSlice(key, last);
    const text = `
      WITH r AS (SELECT account_id, reference,
                   CASE WHEN is_undone THEN 0 ELSE taken_nano_usd END AS taken
                 FROM reversal WHERE ${own}),
           -- The last part of a reference is the number of the step, or "undone".
           a AS (SELECT account_id, substring(reference FROM '^reversal:(.*):[^:]*$') AS reference,
                   sum(amount_nano_usd) AS adjusted
                 FROM adjustment WHERE ${own} AND reference LIKE 'reversal:%' GROUP BY 1, 2)
      SELECT account_id, reference, coalesce(taken, 0)::bigint AS taken,
        coalesce(-adjusted, 0)::bigint AS adjusted
      FROM r FULL JOIN a USING (account_id, reference)
      WHERE coalesce(taken, 0) <> coalesce(-adjusted, 0)
      ORDER BY account_id, reference LIMIT ${lineLimit}`;
    const values = [...after, ...(last ?? [])];
    await check<Reversal>(run, () => ({ text, values }), describeReversal);
  });
}

interface Reversal {
  account_id: string;
  reference: string;
  taken: bigint;
  adjusted: bigint;
}

function describeReversal({ account_id, reference, taken, adjusted }: Reversal): string {
  return (
    `reversal ${reference} of ${account_id}: took ${formatUsd(taken)}, ` +
    `its adjustments ${formatUsd(adjusted)}`
  );
}
