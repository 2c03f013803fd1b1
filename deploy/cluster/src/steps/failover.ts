import { addUp, type PodLoadResult } from "../load/plan.ts";
import { type Release, servicesSelector } from "../release.ts";
import { startStandby } from "../standby.ts";
import { sleep } from "../wait-for.ts";
import { compareCharges } from "./books.ts";
import { type ClusterStep, creditUsd, underLoad, usualLoad } from "./step.ts";

/** How long the Service has no server: long enough that requests are refused. */
const awayMs = 7_000;
/** A connection to a server that is lost fails after 20 s at the latest. */
const recoveryMs = 30_000;

/**
 * Kills the chart's Postgres under load, promotes its synchronous standby, and moves the Service to it. Requests
 * are refused with 503 meanwhile, and served again without a restart; every charge is what a response cost.
 */
export const failover: ClusterStep = {
  name: "failover",
  async run(context) {
    const { release } = context;
    const own = { ...context, key: await release.newKey(creditUsd), results: [] };
    const database = await startStandby(release);
    const before = await readStarts(release);
    let movedMs = 0;
    let outageMs = 0;
    const { load } = await underLoad(own, usualLoad(own), async () => {
      // `lastFailureMs` of the load counts from its own start, which is a little earlier.
      const startedAt = performance.now();
      await database.killFirst();
      const killedAt = performance.now();
      await sleep(awayMs);
      await database.promoteStandby();
      movedMs = performance.now() - startedAt;
      outageMs = performance.now() - killedAt;
      await sleep(2 * recoveryMs);
    });
    const served = await underLoad(own, usualLoad(own), () => release.settled());
    // What is refused with 503 costs nothing.
    const total = { ...addUp(own.results), uncertainMicroUsd: 0 };
    const books = await compareCharges(own, total);
    const problems = [
      problemOf(load, movedMs),
      served.problem && `afterwards: ${served.problem}`,
      (await readStarts(release)) === before ? "" : "a container was restarted",
      books.problem,
    ];
    const note = `${(outageMs / 1_000).toFixed(1)} s without a server; ${books.note ?? ""}`;
    return { load, note, problem: problems.filter(Boolean).join("; ") || undefined };
  },
};

/** A response of 503, also to the upgrade of a WebSocket. */
const refusal = /^\w+: 503 /;

/** Returns what was wrong with a load: nothing was refused, or a request failed otherwise or too late. */
export function problemOf({ failures, lastFailureMs }: PodLoadResult, movedMs: number): string {
  const others = Object.keys(failures).filter((failure) => !refusal.test(failure));
  if (others.length > 0) return `other failures than 503: ${others.join("; ")}`;
  if (lastFailureMs === 0) return "no request was refused";
  const last = lastFailureMs - movedMs;
  return last > recoveryMs ? `a request was refused ${Math.round(last)} ms after the move` : "";
}

/** Returns how often each container of the services has started. */
function readStarts({ kubectl }: Release): Promise<string> {
  const starts = "{.metadata.name} {.status.containerStatuses[*].restartCount}";
  const output = `jsonpath={range .items[*]}${starts}{'\\n'}{end}`;
  return kubectl(["get", "pods", "--selector", servicesSelector, "--output", output]);
}
