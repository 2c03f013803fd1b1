import { describeFailures } from "../load/plan.ts";
import { deployedServices, type Release } from "../release.ts";
import { sleep } from "../wait-for.ts";
import { type ClusterStep, underLoad, usualLoad } from "./step.ts";

export const deletions: ClusterStep = {
  name: "delete-pods",
  run(context) {
    const { release } = context;
    return underLoad(context, usualLoad(context), async () => {
      for (const name of deployedServices) {
        await release.kubectl(["delete", "--wait=false", await podOf(release, name)]);
      }
      await release.settled();
    });
  },
};

/** Requests may fail until this long after the last pod was killed. */
const recoveryMs = 15_000;

export const forcedDeletions: ClusterStep = {
  name: "kill-pods",
  async run(context) {
    const { release } = context;
    let killedMs = 0;
    const { load } = await underLoad(context, usualLoad(context), async () => {
      // The load counts from its start, which is a little earlier.
      const startedAt = performance.now();
      for (const name of deployedServices) {
        const pod = await podOf(release, name);
        await release.kubectl(["delete", "--grace-period=0", "--force", pod]);
      }
      killedMs = performance.now() - startedAt;
      await release.settled();
      await sleep(2 * recoveryMs);
    });
    const last = load.lastFailureMs - killedMs;
    const problem = last > recoveryMs ? `a request failed ${Math.round(last)} ms later` : undefined;
    return { load, problem, note: describeFailures(load) };
  },
};

async function podOf({ kubectl }: Release, service: string): Promise<string> {
  const selector = `app.kubernetes.io/component=${service}`;
  const names = await kubectl(["get", "pods", "--selector", selector, "--output", "name"]);
  const [first] = names.split("\n");
  if (!first) throw new Error(`${service} has no pod`);
  return first;
}
