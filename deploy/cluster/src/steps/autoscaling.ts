import { type Release, scaledServices } from "../release.ts";
import { retry } from "../wait-for.ts";
import { type ClusterStep, underLoad, usualLoad } from "./step.ts";

/** More than the autoscalers' minimum, so that a Deployment that starts anew is noticed. */
const replicas = 3;

/** An autoscaler that is turned on keeps the replicas, and acts on the metrics of the cluster. */
export const autoscaling: ClusterStep = {
  name: "autoscale",
  async run(context) {
    const { release } = context;
    if (!(await hasMetrics(release))) return { skipped: "no metrics API" };
    const defaults = { replicas, autoscaling: { maxReplicas: replicas } };
    await release.deploy({ services: { defaults } });
    await release.settled();
    let counts: number[] = [];
    const finding = await underLoad(context, usualLoad(context), async () => {
      await release.deploy({ autoscaling: { enabled: true } });
      counts = await readReplicas(release);
      await retry("every autoscaler has a metric", 300, () => expectMetrics(release));
      await release.deploy({
        autoscaling: { enabled: false },
        services: { defaults: { replicas: 2 } },
      });
      await release.settled();
    });
    if (counts.every((count) => count === replicas)) return finding;
    const changed = `${replicas} replicas became ${counts.join(", ")} with autoscaling`;
    return { ...finding, problem: [changed, finding.problem].filter(Boolean).join("; ") };
  },
};

async function hasMetrics({ kubectl }: Release): Promise<boolean> {
  try {
    await kubectl(["get", "--raw", "/apis/metrics.k8s.io/v1beta1/nodes"]);
    return true;
  } catch {
    return false;
  }
}

async function readReplicas({ kubectl }: Release): Promise<number[]> {
  const names = scaledServices.map((name) => `deployment/tollgate-${name}`);
  const path = "jsonpath={.items[*].spec.replicas}";
  return (await kubectl(["get", ...names, "--output", path])).split(" ").map(Number);
}

async function expectMetrics({ kubectl }: Release): Promise<void> {
  const path = "{.items[*].status.currentMetrics[0].resource.current.averageUtilization}";
  const values = await kubectl(["get", "hpa", "--output", `jsonpath=${path}`]);
  const count = values.split(" ").filter(Boolean).length;
  if (count < scaledServices.length)
    throw new Error(`${count} of ${scaledServices.length} have one`);
}
