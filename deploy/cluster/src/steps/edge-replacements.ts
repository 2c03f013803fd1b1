import type { LoadPlan } from "../load/plan.ts";
import { routesFromPod } from "./ingress.ts";
import { type ClusterStep, type Context, type Finding, underLoad, usualLoad } from "./step.ts";

/** Replacements of the edge, under clients that keep their connections. */
export const edgeReplacements: ClusterStep = {
  name: "edge-service",
  run: (context) => replaceEdge(context, {}),
};

export const edgeReplacementsBehindIngress: ClusterStep = {
  name: "edge-ingress",
  async run(context) {
    const { options, release } = context;
    if (options.ingress === undefined) return { skipped: "no --ingress-class" };
    await routesFromPod(context, options.ingress.url);
    return replaceEdge(context, { url: options.ingress.url, host: release.ingressHost });
  },
};

function replaceEdge(context: Context, target: Partial<LoadPlan>): Promise<Finding> {
  const { options, release } = context;
  const clients = { json: 8, stream: 2, upload: 1, live: 2, images: 1 };
  const plan = usualLoad(context, { clients, pauseMs: 0, ...target });
  return underLoad(context, plan, async () => {
    for (let index = 0; index < options.replacements; index += 1) {
      await release.kubectl(["rollout", "restart", "deployment/tollgate-edge"]);
      await release.settled();
    }
  });
}
