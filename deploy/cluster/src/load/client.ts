import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { emptyLoadResult, type LoadKind, type LoadPlan } from "./plan.ts";
import { senders } from "./senders.ts";

/**
 * Runs in a pod, without packages. Sends requests by the plan in `LOAD_PLAN` until its standard input
 * ends. Prints `started` after the first response, and at the end the result as JSON.
 */
const plan = JSON.parse(process.env.LOAD_PLAN ?? "") as LoadPlan;
const startedAt = performance.now();
const result = emptyLoadResult();
let isStopped = false;

process.stdin.on("end", () => {
  isStopped = true;
});
process.stdin.resume();

const kinds = Object.entries(plan.clients) as [LoadKind, number][];
const uncertain = await Promise.all(kinds.map(([kind, clients]) => runKind(kind, clients)));
result.uncertainMicroUsd = uncertain.reduce((sum, microUsd) => sum + microUsd, 0);
process.stdout.write(`${JSON.stringify(result)}\n`);

/** Returns what the failed requests of a kind may have cost. */
async function runKind(kind: LoadKind, clients: number): Promise<number> {
  let failures = 0;
  let highestMicroUsd = 0;

  async function sendUntilStopped(): Promise<void> {
    const agent = new Agent({ keepAlive: plan.keepAlive, maxSockets: 1 });
    while (!isStopped) {
      const sentAt = performance.now();
      try {
        const costMicroUsd = await senders[kind]({ ...plan, agent });
        result.costMicroUsd += costMicroUsd;
        highestMicroUsd = Math.max(highestMicroUsd, costMicroUsd);
      } catch (error) {
        failures += 1;
        countFailure(`${kind}: ${reasonOf(error)}`);
      }
      result.requests += 1;
      if (result.requests === 1) process.stdout.write("started\n");
      result.slowestMs = Math.max(result.slowestMs, Math.round(performance.now() - sentAt));
      await sleep(plan.pauseMs);
    }
    agent.destroy();
  }

  await Promise.all(Array.from({ length: clients }, sendUntilStopped));
  return failures * highestMicroUsd;
}

function countFailure(failure: string): void {
  result.failures[failure] = (result.failures[failure] ?? 0) + 1;
  result.lastFailureMs = Math.round(performance.now() - startedAt);
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
