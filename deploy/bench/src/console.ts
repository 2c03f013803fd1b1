import { parseArgs } from "node:util";
import { browserPath, startBrowser } from "@tollgate/e2e/browser";
import { connectOperator } from "@tollgate/local/operator";
import { createSignInUrl } from "@tollgate/local/sign-in-url";
import pg from "pg";
import { screenPaths, timeScreens } from "./console-screens.ts";
import { cpuSeconds } from "./cpu.ts";
import { fillLedger } from "./fill.ts";
import { quantile } from "./statistics.ts";
import { startTestbed } from "./testbed.ts";
import { startAll } from "./tollgate.ts";

/**
 * `npm run bench:console`: fills a ledger with `--entries` entries of a hundred accounts, and measures in
 * Chromium how long each screen of the console takes to show its data: opened by its address, and reached
 * by a link. Then measures what an overview that stays open costs the gateway.
 */
const { values } = parseArgs({
  options: {
    entries: { type: "string", default: "10000000" },
    rounds: { type: "string", default: "15" },
    seconds: { type: "string", default: "90" },
  },
});
if (browserPath === undefined) {
  process.stderr.write("bench:console needs Chromium on the PATH.\n");
  process.exit(2);
}
const accounts = 100;
const restMs = Number(values.seconds) * 1_000;

await using testbed = await startTestbed();
const gateway = await startAll(testbed, {
  database: "bench_console",
  env: { TOLLGATE_CONSOLE_LISTEN: "127.0.0.1:0" },
});
const consoleUrl = gateway.consoleUrl ?? "";
const accountIds = await createAccounts(gateway.operatorAddress);
await fill(gateway.databaseUrl, [gateway.accountId, ...accountIds]);

await using browser = await startBrowser();
// Waiting for a screen runs code in the page, which its policy forbids.
const page = await browser.newPage({ viewport: { width: 1_280, height: 860 }, bypassCSP: true });
await page.goto(await createSignInUrl(consoleUrl, gateway.operatorAddress));
await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();

say("| screen | opened, median ms | p99 ms | by a link, median ms | p99 ms |");
say("| --- | --: | --: | --: | --: |");
const paths = await screenPaths(page, consoleUrl, gateway.accountId);
for (const { name, opened, linked } of await timeScreens(page, consoleUrl, paths, values)) {
  const figures = [opened, linked].flatMap((times) => [
    quantile(times, 0.5),
    quantile(times, 0.99),
  ]);
  say(`| ${[name, ...figures.map((ms) => ms.toFixed(0))].join(" | ")} |`);
}

const pids = [...gateway.pids, testbed.postgres.pid];
await page.goto("about:blank");
const alone = await cpuPerSecond(pids);
await page.goto(consoleUrl);
await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
const open = await cpuPerSecond(pids);
say(`CPU of the gateway and Postgres at rest: ${alone.toFixed(1)} ms/s`);
say(`with an open overview: ${open.toFixed(1)} ms/s`);

async function createAccounts(address: string): Promise<string[]> {
  const operator = connectOperator(address);
  try {
    const ids: string[] = [];
    for (let n = 1; n < accounts; n += 1) {
      const created = { name: `customer-${n}`, creditNanoUsd: 10n ** 15n };
      const { account } = await operator.client.createAccount(created);
      ids.push(account?.id ?? "");
    }
    return ids;
  } finally {
    operator.close();
  }
}

async function fill(url: string, ids: readonly string[]): Promise<void> {
  // The triggers of the ledger's tables find others by their names.
  const options = "-c search_path=ledger";
  const pool = new pg.Pool({ connectionString: url, max: 1, options });
  const startedAt = performance.now();
  try {
    const entries = Number(values.entries);
    await fillLedger(pool, {
      ...{ entries, accountIds: ids, keysPerAccount: 3, aliases: 5 },
      untilMs: Date.now(),
    });
    await pool.query("VACUUM ANALYZE");
  } finally {
    await pool.end();
  }
  say(`${values.entries} entries in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}

async function cpuPerSecond(pids: readonly number[]): Promise<number> {
  const before = cpuSeconds(pids);
  await new Promise((resolve) => setTimeout(resolve, restMs));
  return ((cpuSeconds(pids) - before) * 1_000) / (restMs / 1_000);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
