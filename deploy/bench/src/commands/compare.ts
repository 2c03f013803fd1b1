import { setTimeout as sleep } from "node:timers/promises";
import { defineCommand } from "../command.ts";
import { readPlan } from "../compare/plan.ts";
import { compare } from "../compare/rounds.ts";
import { residentMebibytes } from "../machine/resident-memory.ts";
import { writeBenchmarksPage } from "../report/benchmarks-page.ts";
import { reportOf } from "../report/report.ts";
import { subjectNames } from "../subjects/subject.ts";
import { startSubjects } from "../subjects/subjects.ts";
import { startTestbed } from "../subjects/testbed.ts";

/** Bifrost has to be built, which takes minutes. */
const defaultSubjects = subjectNames.filter((name) => name !== "bifrost").join(",");

export const compareCommand = defineCommand({
  name: "compare",
  about: "the gateway beside a bare proxy and other gateways: the tables of docs/benchmarks.md",
  details:
    "Compares what gateways add to a provider: the simulator called directly, a bare proxy, Tollgate as\n" +
    "one process and as a fleet, Portkey, Bifrost. Takes 20 minutes.",
  flags: {
    quick: { about: "one short round, in three minutes", default: false },
    only: { about: "json or sse" },
    subjects: { about: "what is measured", default: defaultSubjects },
    with: { about: "one more subject: bifrost" },
    rounds: { about: "interleaved rounds: 3, or 1 with --quick" },
    write: { about: "writes docs/benchmarks.md and its chart", default: false },
  },
  async run(values) {
    const plan = readPlan(values);
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
    if (values.write) await writeBenchmarksPage(findings);
    if (results.some(({ failure }) => failure !== "")) process.exitCode = 1;
  },
});
