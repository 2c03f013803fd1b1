import { openLoad } from "../load/load.ts";
import type { Workload } from "../load/workload.ts";
import { measureCost, type Processes } from "../machine/cost.ts";
import { pinned } from "../machine/pinned.ts";
import { type Figures, medianOf, type Result } from "../report/figures.ts";
import type { Subject } from "../subjects/subject.ts";
import type { Subjects } from "../subjects/subjects.ts";
import type { Testbed } from "../subjects/testbed.ts";
import type { Plan } from "./plan.ts";

/** A subject under a workload: the figures of its rounds, or why there are none. */
interface Trial {
  subject: Subject;
  processes: Processes;
  rounds: Figures[];
  failure: string;
}

/**
 * Measures every subject under every workload, in interleaved rounds. One wrong response fails the
 * workload for its subject, so that no subject is fast by failing.
 */
export async function compare(
  { provider }: Testbed,
  { present, storePids }: Subjects,
  plan: Plan,
  log: (line: string) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  const warm = new Set<string>();
  for (const workload of plan.workloads) {
    const trials = present.map((subject): Trial => {
      const processes = { gateway: subject.pids, stores: storePids, simulator: provider.pid };
      return { subject, processes, rounds: [], failure: "" };
    });
    const path = `${workload.kind} of ${workload.promptBytes} bytes`;
    if (!warm.has(path)) {
      log(`${path}: warming up`);
      for (const { subject } of trials) await warmUpCode(provider.url, subject, workload, plan);
      warm.add(path);
    }
    for (let round = 1; round <= plan.rounds; round += 1) {
      log(`${workload.name}, round ${round} of ${plan.rounds}`);
      for (const trial of trials) await tryOnce(provider.url, trial, workload, plan);
    }
    results.push(
      ...trials.map(({ subject, rounds, failure }) => ({
        workload: workload.name,
        subject: subject.name,
        figures: failure === "" ? medianOf(rounds) : {},
        failure,
      })),
    );
  }
  return results;
}

async function tryOnce(url: string, trial: Trial, workload: Workload, plan: Plan): Promise<void> {
  if (trial.failure !== "") return;
  try {
    trial.rounds.push(await measure(url, trial, workload, plan));
  } catch (error) {
    trial.failure = (error as Error).message;
  }
}

/** Ignores failures: the measurement reports them. */
async function warmUpCode(url: string, subject: Subject, workload: Workload, plan: Plan) {
  const load = await openLoad(url, subject, { ...workload, clients: 64 });
  await load.run(plan.jitWarmUpSeconds).catch(() => {});
  await load.close();
}

async function measure(
  url: string,
  { subject, processes }: Trial,
  workload: Workload,
  plan: Plan,
): Promise<Figures> {
  const load = await openLoad(url, subject, workload);
  const run = async () => {
    await load.run(plan.warmUpSeconds);
    const { result, cost } = await measureCost(processes, () => load.run(plan.secondsOf(workload)));
    const { count, ...timings } = result;
    const { peakMebibytes, ...cpu } = cost;
    const each = Object.entries(cpu).map(([name, ms]) => [name, ms / count]);
    return { ...timings, ...Object.fromEntries(each), peakMebibytes } as Figures;
  };
  const { gateway, stores, simulator } = processes;
  // Nothing waits for a core that another process uses while a client is alone.
  const cores = { first: gateway, others: [...stores, simulator] };
  const isAlone = workload.kind === "json" && workload.clients === 1;
  try {
    return await (isAlone ? pinned(cores, run) : run());
  } finally {
    await load.close();
  }
}
