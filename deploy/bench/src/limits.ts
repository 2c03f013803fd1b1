import { parseArgs } from "node:util";
import { connectOperator } from "@tollgate/local/operator";
import pg from "pg";
import { fillKeys, fillLimits } from "./fill.ts";
import { compareSideBySide, sideBySideFlags } from "./side-by-side.ts";
import type { Gateway, Subject } from "./subject.ts";
import { startTestbed } from "./testbed.ts";
import { startAll } from "./tollgate.ts";

/**
 * `npm run bench:limits`: compares the CPU of a request of a key without limits with that of a key
 * that has all of them, in the same process, and does so in a gateway that has `--keys` more keys with
 * limits.
 */
const { values } = parseArgs({
  options: { ...sideBySideFlags, keys: { type: "string", default: "100000" } },
});
const { keys, ...flags } = values;

await using testbed = await startTestbed();
const gateway = await startAll(testbed, { database: "bench_limits" });
const crowded = await startAll(testbed, { database: "bench_limits_crowded" });
await fillLimitedKeys(crowded.databaseUrl, crowded.accountId, Number(keys));
const beside = `beside ${keys} keys with limits`;
const subjects = [
  await unlimited(gateway, "without limits"),
  { ...gateway, title: "with limits" },
  await unlimited(crowded, `without limits, ${beside}`),
  { ...crowded, title: `with limits, ${beside}` },
];
process.stdout.write(await compareSideBySide(testbed, subjects, flags));

/** Returns the gateway as a caller whose key has no limits. */
async function unlimited(from: Gateway, title: string): Promise<Subject> {
  const operator = connectOperator(from.operatorAddress);
  try {
    const { key } = await operator.client.createKey({ account: from.accountId });
    return { ...from, title, headers: { authorization: `Bearer ${key}` } };
  } finally {
    operator.close();
  }
}

async function fillLimitedKeys(url: string, accountId: string, count: number): Promise<void> {
  // The triggers of the ledger's tables find others by their names.
  const options = "-c search_path=ledger";
  const pool = new pg.Pool({ connectionString: url, max: 1, options });
  try {
    await fillKeys(pool, accountId, count);
    await fillLimits(pool, accountId, count);
  } finally {
    await pool.end();
  }
}
