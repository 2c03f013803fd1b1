import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { ServiceName } from "@tollgate/runtime/service";
import pg from "pg";
import {
  type Capacity,
  capacityFor,
  limitsOf,
  type RequestCosts,
  steps,
} from "./capacity-model.ts";
import { cpuMs } from "./cpu.ts";
import { expectedContent, openJsonLoad } from "./json-load.ts";
import { median } from "./statistics.ts";
import { startTestbed } from "./testbed.ts";
import { startFleetGateway } from "./tollgate.ts";
import { workloadNamed } from "./workload.ts";

/**
 * `npm run bench:capacity`: what a fleet needs for 1,000, 10,000 and 100,000 requests per second, from
 * what a request costs each of its steps: by default as docs/scaling.md has it, with `--measure` as
 * this machine does, for JSON requests of 1 KB.
 */
const { values } = parseArgs({
  options: {
    measure: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    "warm-up": { type: "string", default: "30" },
  },
});
/** Measured with `--measure` on two cores of an Intel Xeon. */
const recorded: RequestCosts = {
  cpuUs: { edge: 109, chat: 141, ledger: 43, NATS: 33, Postgres: 61 },
  walBytes: 1_654,
  storedBytes: 1_364,
};
const rates = [1_000, 10_000, 100_000];
/** Captures that the ledger gathers, and autovacuum, end within this time. */
const settleMs = 1_000;

const costs = values.measure ? await measure() : recorded;
const limits = limitsOf(costs);
process.stdout.write(
  [
    row(["", ...steps]),
    row(["---", ...steps.map(() => "--:")]),
    row(["CPU, µs a request", ...steps.map((step) => costs.cpuUs[step].toFixed(0))]),
    row(["requests/s of one", ...steps.map((step) => limits[step].toFixed(0))]),
    ...rates.map((rate) => rowOf(capacityFor(costs, rate))),
    "",
    ...rates.map((rate) => diskOf(capacityFor(costs, rate))),
    "",
  ].join("\n"),
);

function rowOf({ requestsPerSecond, needed }: Capacity): string {
  return row([`for ${requestsPerSecond} requests/s`, ...steps.map((step) => String(needed[step]))]);
}

function diskOf(capacity: Capacity): string {
  const { requestsPerSecond, walMegabytesPerSecond, storedGigabytesPerDay } = capacity;
  return (
    `${requestsPerSecond} requests/s: Postgres writes ${walMegabytesPerSecond.toFixed(1)} MB of log ` +
    `a second, and grows by ${storedGigabytesPerDay.toFixed(0)} GB a day`
  );
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

async function measure(): Promise<RequestCosts> {
  await using testbed = await startTestbed();
  const { fleet, brokerPid, ...gateway } = await startFleetGateway(testbed, {
    database: "bench_capacity",
  });
  const workload = workloadNamed("1 KB saturated");
  if (workload.kind !== "json") throw new Error("the workload must have JSON requests");
  const expected = await expectedContent(testbed.provider.url, workload);
  const load = openJsonLoad(gateway, workload, expected);
  await load.run(Number(values["warm-up"]));
  const pidOf = (name: ServiceName) => fleet.process(name)?.pid ?? 0;
  const pids = {
    edge: pidOf("edge"),
    chat: pidOf("chat"),
    ledger: pidOf("ledger"),
    NATS: brokerPid,
    Postgres: testbed.postgres.pid,
  };
  const database = new URL(testbed.postgres.url);
  database.pathname = "/bench_capacity";
  const client = new pg.Client({ connectionString: database.toString() });
  await client.connect();
  const clocks = () => steps.map((step) => cpuMs([pids[step]]));
  const rounds: number[][] = [];
  const disk = { from: await sizesOf(client), requests: 0 };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const before = clocks();
    const { requests } = await load.run(Number(values.seconds));
    await sleep(settleMs);
    rounds.push(clocks().map((ms, index) => ((ms - (before[index] ?? 0)) * 1_000) / requests));
    disk.requests += requests;
  }
  const to = await sizesOf(client);
  await client.end();
  await load.close();
  const cpuUs = steps.map((step, index) => [step, median(rounds.map((each) => each[index] ?? 0))]);
  return {
    cpuUs: Object.fromEntries(cpuUs),
    walBytes: (to.wal - disk.from.wal) / disk.requests,
    storedBytes: (to.stored - disk.from.stored) / disk.requests,
  };
}

async function sizesOf(client: pg.Client): Promise<{ wal: number; stored: number }> {
  const { rows } = await client.query<{ wal: string; stored: string }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal,
      pg_database_size(current_database()) AS stored`,
  );
  return { wal: Number(rows[0]?.wal), stored: Number(rows[0]?.stored) };
}
