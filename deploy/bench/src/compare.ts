import { type Figures, medianOf, type Result } from "./figures.ts";
import { expectedAnswer, openJsonLoad } from "./json-load.ts";
import { type Cost, metered, type Processes } from "./meter.ts";
import type { Plan } from "./plan.ts";
import type { Stage } from "./stage.ts";
import { expectedChunks, openStreamLoad } from "./stream-load.ts";
import type { Subject } from "./subject.ts";
import type { Subjects } from "./subjects.ts";
import type { JsonWorkload, StreamWorkload, Workload } from "./workload.ts";

/**
 * Puts every subject under every workload, in turn and round after round. A subject that answers
 * wrong once has failed the workload: nobody is fast by failing.
 */
export async function compare(
  stage: Stage,
  subjects: Subjects,
  plan: Plan,
  say: (line: string) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  const hot = new Set<string>();
  for (const workload of plan.workloads) {
    const expected = await expectationOf(stage.provider.url, workload);
    const trials = subjects.present.map((subject) => {
      const processes = processesOf(stage, subjects, subject);
      return { turn: { subject, processes, plan }, rounds: [] as Figures[], failure: "" };
    });
    const path = `${workload.kind} of ${workload.promptBytes} bytes`;
    if (!hot.has(path)) {
      say(`${path}: heating up`);
      for (const { turn } of trials) await heatUp(turn, expected);
      hot.add(path);
    }
    for (let round = 1; round <= plan.rounds; round += 1) {
      say(`${workload.name}, round ${round} of ${plan.rounds}`);
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

/** A workload, and what its answers must say. */
type Expectation =
  | { workload: JsonWorkload; answer: Buffer }
  | { workload: StreamWorkload; chunks: readonly string[] };

async function expectationOf(url: string, workload: Workload): Promise<Expectation> {
  if (workload.kind === "json") return { workload, answer: await expectedAnswer(url, workload) };
  return { workload, chunks: await expectedChunks(url, workload) };
}

/** Whatever fails here will fail again where it is written down. */
async function heatUp({ subject, plan }: Turn, expected: Expectation): Promise<void> {
  const clients = 64;
  const load =
    "answer" in expected
      ? openJsonLoad(subject, { ...expected.workload, clients }, expected.answer)
      : openStreamLoad(subject, { ...expected.workload, clients }, expected.chunks);
  // A stream takes about a second, so both run for about as long.
  await load.run(plan.heatSeconds).catch(() => {});
  await load.close();
}

interface Turn {
  subject: Subject;
  processes: Processes;
  plan: Plan;
}

function measure(turn: Turn, expected: Expectation): Promise<Figures> {
  if ("answer" in expected) return measureJson(turn, expected.workload, expected.answer);
  return measureStreams(turn, expected.workload, expected.chunks);
}

async function measureJson(
  { subject, processes, plan }: Turn,
  workload: JsonWorkload,
  answer: Buffer,
): Promise<Figures> {
  const load = openJsonLoad(subject, workload, answer);
  try {
    await load.run(plan.warmUpSeconds);
    const { given, cost } = await metered(processes, () => load.run(plan.jsonSeconds));
    const { requests, ...timings } = given;
    return { ...timings, ...eachOf(cost, requests) };
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
    const { given, cost } = await metered(processes, () =>
      load.run(plan.streamsEach(workload.clients)),
    );
    const { streams, ...timings } = given;
    return { ...timings, ...eachOf(cost, streams) };
  } finally {
    await load.close();
  }
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

function processesOf(stage: Stage, { storePids }: Subjects, { pids }: Subject): Processes {
  return { gateway: pids, stores: storePids, simulator: stage.provider.pid };
}
