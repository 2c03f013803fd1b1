import { type Cost, measureCost, type Processes } from "./cost.ts";
import { type Figures, medianOf, type Result } from "./figures.ts";
import { expectedContent, openJsonLoad } from "./json-load.ts";
import { pinned } from "./pinned.ts";
import type { Plan } from "./plan.ts";
import { expectedChunks, openStreamLoad } from "./stream-load.ts";
import type { Subject } from "./subject.ts";
import type { Subjects } from "./subjects.ts";
import type { Testbed } from "./testbed.ts";
import type { JsonWorkload, StreamWorkload, Workload } from "./workload.ts";

/**
 * Measures every subject under every workload, in interleaved rounds. One wrong response fails the
 * workload for its subject, so that no subject is fast by failing.
 */
export async function compare(
  testbed: Testbed,
  subjects: Subjects,
  plan: Plan,
  log: (line: string) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  const warm = new Set<string>();
  for (const workload of plan.workloads) {
    const expected = await expectationOf(testbed.provider.url, workload);
    const trials = subjects.present.map((subject) => {
      const processes = processesOf(testbed, subjects, subject);
      return { turn: { subject, processes, plan }, rounds: [] as Figures[], failure: "" };
    });
    const path = `${workload.kind} of ${workload.promptBytes} bytes`;
    if (!warm.has(path)) {
      log(`${path}: warming up`);
      for (const { turn } of trials) await warmUpCode(turn, expected);
      warm.add(path);
    }
    for (let round = 1; round <= plan.rounds; round += 1) {
      log(`${workload.name}, round ${round} of ${plan.rounds}`);
      for (const trial of trials) await tryOnce(trial, expected);
    }
    results.push(...trials.map((trial) => resultOf(workload, trial)));
  }
  return results;
}

function resultOf({ name: workload }: Workload, { turn, rounds, failure }: Trial): Result {
  const figures = failure === "" ? medianOf(rounds) : {};
  return { workload, subject: turn.subject.name, figures, failure };
}

interface Trial {
  turn: Turn;
  rounds: Figures[];
  failure: string;
}

async function tryOnce(trial: Trial, expected: Expectation): Promise<void> {
  if (trial.failure !== "") return;
  try {
    trial.rounds.push(await measure(trial.turn, expected));
  } catch (error) {
    trial.failure = (error as Error).message;
  }
}

/** A workload and the content that its responses must have. */
type Expectation =
  | { workload: JsonWorkload; content: Buffer }
  | { workload: StreamWorkload; chunks: readonly string[] };

async function expectationOf(url: string, workload: Workload): Promise<Expectation> {
  if (workload.kind === "json") return { workload, content: await expectedContent(url, workload) };
  return { workload, chunks: await expectedChunks(url, workload) };
}

/** Ignores failures: the measurement reports them. */
async function warmUpCode({ subject, plan }: Turn, expected: Expectation): Promise<void> {
  const clients = 64;
  const load =
    "content" in expected
      ? openJsonLoad(subject, { ...expected.workload, clients }, expected.content)
      : openStreamLoad(subject, { ...expected.workload, clients }, expected.chunks);
  // A stream takes about a second, so both run for about as long.
  await load.run(plan.jitWarmUpSeconds).catch(() => {});
  await load.close();
}

interface Turn {
  subject: Subject;
  processes: Processes;
  plan: Plan;
}

function measure(turn: Turn, expected: Expectation): Promise<Figures> {
  if ("content" in expected) return measureJson(turn, expected.workload, expected.content);
  return measureStreams(turn, expected.workload, expected.chunks);
}

async function measureJson(
  { subject, processes, plan }: Turn,
  workload: JsonWorkload,
  content: Buffer,
): Promise<Figures> {
  const load = openJsonLoad(subject, workload, content);
  const run = async () => {
    await load.run(plan.warmUpSeconds);
    const { result, cost } = await measureCost(processes, () => load.run(plan.jsonSeconds));
    const { requests, ...timings } = result;
    return { ...timings, ...eachOf(cost, requests) };
  };
  try {
    return await (workload.clients === 1 ? pinned(coresOf(processes), run) : run());
  } finally {
    await load.close();
  }
}

async function measureStreams(
  { subject, processes, plan }: Turn,
  workload: StreamWorkload,
  chunks: readonly string[],
): Promise<Figures> {
  const load = openStreamLoad(subject, workload, chunks);
  try {
    await load.run(1);
    const { result, cost } = await measureCost(processes, () =>
      load.run(plan.streamsEach(workload.clients)),
    );
    const { streams, ...timings } = result;
    return { ...timings, ...eachOf(cost, streams) };
  } finally {
    await load.close();
  }
}

/** Nothing waits for a core that another process uses while a client is alone. */
function coresOf({ gateway, stores, simulator }: Processes) {
  return { first: gateway, others: [...stores, simulator] };
}

function eachOf(cost: Cost, count: number) {
  return {
    gatewayCpuMs: cost.gatewayCpuMs / count,
    storesCpuMs: cost.storesCpuMs / count,
    simulatorCpuMs: cost.simulatorCpuMs / count,
    loadCpuMs: cost.loadCpuMs / count,
    peakMebibytes: cost.peakMebibytes,
  };
}

function processesOf(testbed: Testbed, { storePids }: Subjects, { pids }: Subject): Processes {
  return { gateway: pids, stores: storePids, simulator: testbed.provider.pid };
}
