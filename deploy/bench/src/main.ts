import { setTimeout as sleep } from "node:timers/promises";
import { writeBenchmarksPage } from "./benchmarks-page.ts";
import { compare } from "./compare.ts";
import { residentMebibytes } from "./memory.ts";
import { readPlan } from "./plan.ts";
import { reportOf } from "./report.ts";
import { openStage } from "./stage.ts";
import { startSubjects } from "./subjects.ts";

/**
 * `npm run bench`: what gateways add to a provider, side by side: the simulator called directly, a
 * bare proxy, Tollgate in both shapes with holds and metering on, and Portkey. It takes some twenty
 * minutes, with `--quick` three and one round; `--only json` or `sse`; `--subjects all,bare`;
 * `--rounds 5`; `--write` writes the tables and the chart to docs/benchmarks.md.
 */
const plan = readPlan(process.argv.slice(2));
const say = (line: string) => void process.stderr.write(`${line}\n`);

await using stage = await openStage();
const { present, absent, storePids } = await startSubjects(stage, plan.subjects);
const memory = () => present.map(({ pids }) => residentMebibytes(pids));
await sleep(plan.restSeconds * 1_000);
const idle = memory();
const results = await compare(stage, { present, absent, storePids }, plan, say);
await sleep(plan.restSeconds * 1_000);
const findings = { plan, subjects: present, absent, results, idle, after: memory() };
process.stdout.write(`\n${reportOf(findings)}`);
if (plan.write) await writeBenchmarksPage(findings);
if (results.some(({ failure }) => failure !== "")) process.exitCode = 1;
