import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { create } from "@bufbuild/protobuf";
import { createLog } from "@tollgate/core/log";
import { createCapture } from "@tollgate/ledger/capture";
import { createHoldTaker } from "@tollgate/ledger/holds";
import { findCharges, sumSpend } from "@tollgate/ledger/read-entries";
import { ledgerSchema } from "@tollgate/ledger/schema";
import { topUp } from "@tollgate/ledger/wallet";
import { startPostgres } from "@tollgate/local/postgres";
import { Outcome, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { openDatabase } from "@tollgate/runtime/database/pool";
import type pg from "pg";
import { fillEntries } from "./fill.ts";
import { measureReads } from "./ledger-reads.ts";
import { median } from "./statistics.ts";

/**
 * `npm run bench:ledger`: measures the ledger's statements with more and more entries of one
 * account, which are spread over sixty days. Prints medians in milliseconds, with one caller. With
 * `--reads`, fills one large ledger of many accounts instead, and prints the times of all reads.
 */
const { values } = parseArgs({
  options: {
    entries: { type: "string", default: "10000000" },
    reads: { type: "boolean", default: false },
  },
});
const most = Number(values.entries);
const accountId = "acct_bench";
const rounds = 31;
const maxIdsPerLookup = 10_000;
const shownWidth = 120;
const dayMs = 86_400_000;
const pageSql = `SELECT * FROM entry WHERE account_id = $1
  ORDER BY recorded_at DESC, id DESC LIMIT 100`;

const folder = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
// When this runs as root, Postgres runs as another user, who must be able to enter the folder.
await chmod(folder, 0o711);
const postgres = await startPostgres({ dataFolder: folder, durable: !values.reads });
const pool = await openDatabase({
  url: postgres.url,
  schema: ledgerSchema,
  maxConnections: 10,
  log: createLog("silent"),
  settings: { enable_seqscan: "off", statement_timeout: "0" },
});
try {
  await topUp(pool, { accountId, amountNanoUsd: 10n ** 15n, reference: "", at: new Date() });
  if (values.reads) {
    await measureReads(
      pool,
      most,
      { "hold and capture": holdAndCapture(pool, "reads") },
      accountId,
    );
  }
  let written = 0;
  const sizes = [1_000, 100_000, 1_000_000, 10_000_000].filter((one) => one <= most);
  for (const size of values.reads ? [] : sizes) {
    await fillEntries(pool, accountId, written, size);
    written = size;
    await pool.query("ANALYZE entry");
    process.stdout.write(`${size} entries: ${await measure(pool, size)}\n`);
  }
  if (!values.reads) process.stdout.write(`${await explain(pool, most)}\n`);
} finally {
  await pool.end();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(target: pg.Pool, size: number): Promise<string> {
  const from = new Date(Date.now() - 30 * dayMs);
  const ids = await someIds(target, size);
  const works: Record<string, () => Promise<unknown>> = {
    "trailing spend": () => sumSpend(target, accountId, from),
    "a page": () => target.query(pageSql, [accountId]),
    [`${ids.length} ids`]: () =>
      findCharges(target, { accountId, requestIds: ids, withinMs: 90 * dayMs }),
    "hold and capture": holdAndCapture(target, String(size)),
  };
  const figures: string[] = [];
  for (const [name, work] of Object.entries(works)) {
    figures.push(`${name} ${(await medianMs(work)).toFixed(2)}`);
  }
  return figures.join(", ");
}

function holdAndCapture(target: pg.Pool, prefix: string): () => Promise<void> {
  const take = createHoldTaker(target, 60_000);
  const capture = createCapture(target);
  let index = 0;
  return async () => {
    index += 1;
    const id = `req_${prefix}_${index}`;
    await take({ holdId: id, accountId, estimateNanoUsd: 5_000n });
    await capture(usageEvent(id));
  };
}

function usageEvent(id: string) {
  const charge = { costNanoUsd: 1_000n, reportedNanoUsd: 1_000n };
  const model = { routeType: "chat", alias: "house-large" };
  const outcome = Outcome.COMPLETED;
  const about = { id, requestId: id, holdId: id, accountId, outcome };
  const lines = ["input", "output"].map((dimension) => ({
    dimension,
    quantity: 5n,
    pricePicoUsd: 100_000_000_000n,
    per: 1_000_000n,
    amountNanoUsd: 500n,
  }));
  const providerUsage = '{"prompt_tokens":5,"completion_tokens":5,"total_tokens":10}';
  return create(UsageEventSchema, { ...about, ...model, ...charge, lines, providerUsage });
}

async function someIds(target: pg.Pool, size: number): Promise<string[]> {
  const { rows } = await target.query<{ id: string }>(
    `SELECT 'req_' || md5((n * $1::bigint / $2)::text) AS id FROM generate_series(0, $2 - 1) AS n`,
    [size, Math.min(maxIdsPerLookup, size)],
  );
  return rows.map(({ id }) => id);
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

/** Returns the query plans of the two reads that cover the most entries. */
async function explain(target: pg.Pool, size: number): Promise<string> {
  const ids = await someIds(target, size);
  const plans: string[] = [];
  const explainingPool = {
    async query({ text, values: parameters }: pg.QueryConfig) {
      const explained = `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${text}`;
      const { rows } = await target.query<Record<string, string>>(explained, parameters);
      plans.push(...rows.map((row) => row["QUERY PLAN"]?.slice(0, shownWidth) ?? ""), "");
      return { rows: [] };
    },
  } as unknown as pg.Pool;
  await sumSpend(explainingPool, accountId, new Date(Date.now() - 30 * dayMs));
  await findCharges(explainingPool, { accountId, requestIds: ids, withinMs: 90 * dayMs });
  return plans.join("\n");
}
