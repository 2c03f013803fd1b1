import { expect, test } from "vitest";
import type { Values } from "../values.ts";
import { gitops } from "./gitops.ts";
import type { Context } from "./step.ts";

/** Runs the step where the chart renders `manifests` in turn, and the API server responds with `admitted`. */
async function run(manifests: string[], admitted: string) {
  const rendered: Values[] = [];
  const applied: unknown[] = [];
  const release = {
    async template(_: string, values: Values) {
      rendered.push(values);
      return manifests[rendered.length - 1];
    },
    async kubectl(args: readonly string[], input: string) {
      applied.push([args.includes("--dry-run=server"), input]);
      return admitted;
    },
  };
  const finding = await gitops.run({ release } as unknown as Context);
  return { finding, rendered, applied };
}

test("what the chart renders without hooks is applied, without changing anything", async () => {
  const admitted = "service/gitops-edge created (server dry run)\n";
  const { finding, rendered, applied } = await run(["a", "a"], admitted);
  expect(finding).toEqual({ note: "1 objects" });
  expect(rendered[0]).toMatchObject({ hooks: false });
  expect(applied).toEqual([[true, "a"]]);
});

test.each([
  [["a", "b"], "", "the same values render other manifests"],
  [["a", "a"], "", "no object was admitted"],
  [["a", "a"], "x configured (server dry run)\n", "x configured (server dry run)"],
])("%j and %j are a problem", async (manifests, admitted, problem) => {
  expect((await run(manifests, admitted)).finding).toEqual({ problem });
});
