import { expect, test } from "vitest";
import { emptyLoadResult } from "../load/plan.ts";
import type { Values } from "../values.ts";
import { autoscaling } from "./autoscaling.ts";
import type { Context, Finding } from "./step.ts";

/** Runs the step where Deployments have `counts` replicas once autoscaling is on. */
async function run(counts: string): Promise<{ finding: Finding; deployed: Values[] }> {
  const deployed: Values[] = [];
  const release = {
    async kubectl(args: readonly string[]) {
      if (args.includes("hpa")) return "5 5 5 5 5 5 5";
      return args.includes("--raw") ? "{}" : counts;
    },
    deploy: async (values: Values) => void deployed.push(values),
    settled: async () => {},
  };
  const loadPod = { start: async () => ({ stop: async () => emptyLoadResult() }) };
  const context = { release, loadPod, key: "", results: [] } as unknown as Context;
  return { finding: await autoscaling.run(context), deployed };
}

test("autoscaling starts from three replicas, which it may not exceed, and keeps them", async () => {
  const { finding, deployed } = await run("3 3 3 3 3 3 3");
  expect(finding.problem).toBeUndefined();
  expect(deployed).toEqual([
    { services: { defaults: { replicas: 3, autoscaling: { maxReplicas: 3 } } } },
    { autoscaling: { enabled: true } },
    { autoscaling: { enabled: false }, services: { defaults: { replicas: 2 } } },
  ]);
});

test("replicas that autoscaling changes are a problem, also if the minimum is kept", async () => {
  const { finding } = await run("3 3 2 3 3 3 3");
  expect(finding.problem).toBe("3 replicas became 3, 3, 2, 3, 3, 3, 3 with autoscaling");
});
