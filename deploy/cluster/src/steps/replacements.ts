import type { LoadPlan, LoadResult } from "../load/plan.ts";
import { ingressHost, serviceNames } from "../release.ts";
import { type Context, type Finding, type Step, underLoad, usualLoad } from "./step.ts";

/** Upgrades of the release. In every second one, clients open a connection for each request. */
export const upgrades: Step = {
  name: "upgrade",
  async run(context) {
    const { options, release } = context;
    return repeat(options.upgrades, (index) =>
      underLoad(context, usualLoad(context, { keepAlive: index % 2 === 0 }), async () => {
        const podAnnotations = { "test.tollgate/upgrade": String(index) };
        await release.deploy({ services: { defaults: { podAnnotations } } });
        await release.settled();
      }),
    );
  },
};

/** Replacements of the edge, under clients that keep their connections. */
export const edgeReplacements: Step = {
  name: "edge-service",
  run: (context) => replaceEdge(context, {}),
};

export const edgeReplacementsBehindIngress: Step = {
  name: "edge-ingress",
  async run(context) {
    const { ingress } = context.options;
    if (ingress === undefined) return { skipped: "no --ingress-class" };
    return replaceEdge(context, { url: ingress.url, host: ingressHost });
  },
};

export const scaling: Step = {
  name: "scale",
  run(context) {
    const { release } = context;
    return underLoad(context, usualLoad(context), async () => {
      for (const replicas of [3, 1, 2]) {
        const names = serviceNames.map((name) => `deployment/tollgate-${name}`);
        await release.kubectl(["scale", `--replicas=${replicas}`, ...names]);
        await release.settled();
      }
    });
  },
};

export const deletions: Step = {
  name: "delete-pods",
  run(context) {
    const { release } = context;
    return underLoad(context, usualLoad(context), async () => {
      for (const name of serviceNames) {
        await release.kubectl(["delete", "--wait=false", await podOf(context, name)]);
      }
      await release.settled();
    });
  },
};

/** Requests may fail until this long after the last pod was killed. */
const recoveryMs = 15_000;

export const forcedDeletions: Step = {
  name: "kill-pods",
  async run(context) {
    const { release } = context;
    const startedAt = performance.now();
    let killedMs = 0;
    const { load } = await underLoad(context, usualLoad(context), async () => {
      for (const name of serviceNames) {
        const pod = await podOf(context, name);
        await release.kubectl(["delete", "--grace-period=0", "--force", pod]);
      }
      killedMs = performance.now() - startedAt;
      await release.settled();
      await new Promise((resolve) => setTimeout(resolve, 2 * recoveryMs));
    });
    const last = load.lastFailureMs - killedMs;
    const problem = last > recoveryMs ? `a request failed ${Math.round(last)} ms later` : undefined;
    const kinds = Object.entries(load.failures).map(([failure, count]) => `${count} × ${failure}`);
    return { load, problem, note: kinds.join("; ") };
  },
};

function replaceEdge(context: Context, target: Partial<LoadPlan>): Promise<Finding> {
  const { options, release } = context;
  const plan = usualLoad(context, { jsonClients: 8, streamClients: 2, pauseMs: 0, ...target });
  return underLoad(context, plan, async () => {
    for (let index = 0; index < options.replacements; index += 1) {
      await release.kubectl(["rollout", "restart", "deployment/tollgate-edge"]);
      await release.kubectl(["rollout", "status", "deployment/tollgate-edge", "--timeout=300s"]);
      await release.settled();
    }
  });
}

/** Runs a part several times. The finding has the sums, and the problems of all. */
async function repeat(
  count: number,
  part: (index: number) => Promise<Finding & { load: NonNullable<Finding["load"]> }>,
): Promise<Finding> {
  const load: LoadResult = {
    requests: 0,
    failures: {},
    lastFailureMs: 0,
    slowestMs: 0,
    costMicroUsd: 0,
  };
  const problems: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { load: one, problem } = await part(index);
    load.requests += one.requests;
    load.slowestMs = Math.max(load.slowestMs, one.slowestMs);
    load.costMicroUsd += one.costMicroUsd;
    for (const [failure, times] of Object.entries(one.failures)) {
      load.failures[failure] = (load.failures[failure] ?? 0) + times;
    }
    if (problem !== undefined) problems.push(`${index + 1}: ${problem}`);
  }
  return { load, note: `${count} times`, problem: problems.join("; ") || undefined };
}

async function podOf({ release }: Context, service: string): Promise<string> {
  const selector = `app.kubernetes.io/component=${service}`;
  const names = await release.kubectl(["get", "pods", "--selector", selector, "--output", "name"]);
  const [first] = names.split("\n");
  if (!first) throw new Error(`${service} has no pod`);
  return first;
}
