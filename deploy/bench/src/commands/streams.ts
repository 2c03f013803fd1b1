import { availableParallelism } from "node:os";
import { defineCommand } from "../command.ts";
import { expectedChunks, openStreamLoad, type StreamTimings } from "../load/stream-load.ts";
import { type StreamWorkload, workloadNamed } from "../load/workload.ts";
import { measureCost } from "../machine/cost.ts";
import { median } from "../report/statistics.ts";
import type { Subject, SubjectName } from "../subjects/subject.ts";
import { startSubjects } from "../subjects/subjects.ts";
import { startTestbed, type Testbed } from "../subjects/testbed.ts";

const names = ["bare", "all", "fleet"] as const;
const counts = [16, 32, 64, 128, 192, 256, 384, 512];
/** The part of all cores that the simulator and the load may take without a gateway. */
const mostBusy = 0.75;
/** Streams that each client reads before the first measurement: V8 compiles hot code late. */
const warmUpStreams = 15;

export const streamsCommand = defineCommand({
  name: "streams",
  about: "what each shape adds to the first token and to the gaps between chunks",
  details:
    "Measures what each subject adds to the first token and to the gaps between chunks. Each runs alone, in\n" +
    "turns with the simulator called directly.",
  flags: {
    streams: { about: "by default, the most that leave a quarter of the cores idle" },
    rounds: { about: "each measures the subject and the simulator", default: "5" },
    each: { about: "streams that a client reads in a round", default: "5" },
  },
  async run(values) {
    const clients = values.streams === undefined ? await largestCount() : Number(values.streams);
    const rows: string[] = [];
    for (const name of names) {
      rows.push(...(await rowsOf(name, clients, Number(values.rounds), Number(values.each))));
    }
    const head = [
      `${clients} streams, medians of ${values.rounds} rounds\n`,
      "| | cores busy | first token p50, ms | p99, ms | largest gap, ms |",
      "| --- | --: | --: | --: | --: |",
    ];
    process.stdout.write(`${[...head, ...rows].join("\n")}\n`);
  },
});

interface Round extends StreamTimings {
  /** The part of all cores that the gateway, the stores, the simulator and the load took. */
  busy: number;
}

async function largestCount(): Promise<number> {
  await using testbed = await startTestbed();
  const { present, storePids } = await startSubjects(testbed, new Set());
  const measure = await measurer(testbed, storePids);
  const [direct] = present as [Subject];
  await measure(direct, 64, warmUpStreams);
  let found = 1;
  for (const count of counts) {
    const { busy } = await measure(direct, count, 3);
    process.stderr.write(`${count} streams without a gateway: ${percent(busy)} busy\n`);
    if (busy > mostBusy) break;
    found = count;
  }
  return found;
}

/** Returns the rows of the simulator called directly, and of a subject beside it. */
async function rowsOf(
  name: SubjectName,
  clients: number,
  rounds: number,
  each: number,
): Promise<string[]> {
  process.stderr.write(`${name}\n`);
  await using testbed = await startTestbed();
  const { present, storePids } = await startSubjects(testbed, new Set([name]));
  const measure = await measurer(testbed, storePids);
  for (const subject of present) await measure(subject, Math.min(64, clients), warmUpStreams);
  const measured = present.map((): Round[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, subject] of present.entries()) {
      measured[index]?.push(await measure(subject, clients, each));
    }
  }
  return present.map(({ title }, index) => rowOf(title, measured[index] ?? []));
}
async function measurer(testbed: Testbed, storePids: readonly number[]) {
  const expected = await expectedChunks(testbed.provider.url, workloadOf(1));
  const simulator = testbed.provider.pid;
  return async (subject: Subject, count: number, each: number): Promise<Round> => {
    const load = openStreamLoad(subject, workloadOf(count), expected);
    // The simulator called directly is a subject, too: its CPU must not count twice.
    const gateway = subject.pids.filter((pid) => pid !== simulator);
    const startedAt = performance.now();
    const processes = { gateway, stores: storePids, simulator };
    const { result, cost } = await measureCost(processes, () => load.run(each));
    const tookMs = performance.now() - startedAt;
    await load.close();
    const cpuMs = cost.gatewayCpuMs + cost.storesCpuMs + cost.simulatorCpuMs + cost.loadCpuMs;
    return { ...result, busy: cpuMs / tookMs / availableParallelism() };
  };
}

function workloadOf(count: number): StreamWorkload {
  return { ...(workloadNamed("64 streams") as StreamWorkload), clients: count };
}

function rowOf(title: string, rounds: readonly Round[]): string {
  const of = (name: keyof Round) => median(rounds.map((round) => round[name]));
  const ms = (["firstTokenP50Ms", "firstTokenP99Ms", "largestGapMs"] as const).map(of);
  return `| ${[title, percent(of("busy")), ...ms.map((one) => one.toFixed(1))].join(" | ")} |`;
}

function percent(part: number): string {
  return `${(part * 100).toFixed(0)} %`;
}
