import { invalidParam } from "@tollgate/core/errors";
import type { RefusalCount } from "@tollgate/proto/tollgate/v1/billing";
import type pg from "pg";
import type { PrismaClient } from "../generated/client.ts";

const maxCounts = 1_000;
const hourMs = 3_600_000;

/** Adds to the numbers of the current hour, by the database's clock. */
export async function countRefusals(
  pool: pg.Pool,
  refusals: readonly RefusalCount[],
): Promise<void> {
  if (refusals.length > maxCounts) throw invalidParam("refusals", `must be at most ${maxCounts}`);
  await pool.query({
    name: "count-refusals",
    text: `
      INSERT INTO refusal_hour (account_id, hour, code, requests)
      SELECT account_id, date_trunc('hour', now()), code, sum(requests)
      FROM unnest($1::text[], $2::text[], $3::bigint[]) AS counted (account_id, code, requests)
      GROUP BY account_id, code ORDER BY account_id, code
      ON CONFLICT (account_id, hour, code)
      DO UPDATE SET requests = refusal_hour.requests + excluded.requests`,
    values: [
      refusals.map(({ accountId }) => accountId),
      refusals.map(({ code }) => code),
      refusals.map(({ requests }) => requests),
    ],
  });
}

/** Resolves with the sums of the hours that a period overlaps, the most first. An empty account is any. */
export async function sumRefusals(
  prisma: PrismaClient,
  { accountId, from, to }: { accountId: string; from: Date; to: Date },
): Promise<{ errorCode: string; requests: bigint }[]> {
  const sums = await prisma.refusalHour.groupBy({
    by: ["code"],
    where: {
      ...(accountId === "" ? {} : { accountId }),
      hour: { gte: new Date(Math.floor(from.getTime() / hourMs) * hourMs), lt: to },
    },
    _sum: { requests: true },
    orderBy: [{ _sum: { requests: "desc" } }, { code: "asc" }],
  });
  return sums.map(({ code, _sum }) => ({ errorCode: code, requests: _sum.requests ?? 0n }));
}
