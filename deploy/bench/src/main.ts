import { setTimeout as sleep } from "node:timers/promises";
import { writeBenchmarksPage } from "./benchmarks-page.ts";
import { compare } from "./compare.ts";
import { residentMebibytes } from "./memory.ts";
import { readPlan } from "./plan.ts";
import { reportOf } from "./report.ts";
import { startSubjects } from "./subjects.ts";
import { startTestbed } from "./testbed.ts";

/**
 * `npm run bench`: compares what gateways add to a provider: the simulator called directly, a bare
 * proxy, Tollgate as one process and as a fleet, both with holds and metering, and Portkey. It
 * takes about twenty minutes; with `--quick`, three minutes and one round. `--with bifrost` adds
 * Bifrost, `--only json` or `--only sse` selects workloads, `--subjects all,bare` selects subjects,
 * `--rounds 5` sets the rounds, and `--write` writes the tables and the chart to docs/benchmarks.md.
 */
const plan = readPlan(process.argv.slice(2));
const log = (line: string) => void process.stderr.write(`${line}\n`);

await using testbed = await startTestbed();
const { present, unavailable, storePids } = await startSubjects(testbed, plan.subjects);
const memory = () => present.map(({ pids }) => residentMebibytes(pids));
await sleep(plan.restSeconds * 1_000);
const idle = memory();
const results = await compare(testbed, { present, unavailable, storePids }, plan, log);
await sleep(plan.restSeconds * 1_000);
const findings = { plan, subjects: present, unavailable, results, idle, after: memory() };
process.stdout.write(`\n${reportOf(findings)}`);
if (plan.write) await writeBenchmarksPage(findings);
if (results.some(({ failure }) => failure !== "")) process.exitCode = 1;
