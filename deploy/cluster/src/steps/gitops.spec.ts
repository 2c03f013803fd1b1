import { expect, test } from "vitest";
import type { Values } from "../values.ts";
import { gitops } from "./gitops.ts";
import type { Context } from "./step.ts";

const created = "service/gitops-edge created\n";
const admitted = "service/gitops-edge created (server dry run)\n";

/** Runs the step where the chart renders `manifests`, and the API server responds with `outputs`, each in turn. */
async function run(manifests: string[], outputs: string[]) {
  const rendered: Values[] = [];
  const calls: string[] = [];
  const release = {
    async template(_: string, values: Values) {
      rendered.push(values);
      return manifests[rendered.length - 1];
    },
    async kubectl([command = "", option = ""]: readonly string[], input: string) {
      calls.push([command, option === "--dry-run=server" ? "dry" : "", input].join(" "));
      return outputs[calls.length - 1] ?? "";
    },
  };
  const finding = await gitops.run({ release } as unknown as Context);
  return { finding, rendered, calls };
}

test("what the chart renders without hooks is admitted, applied without pods, compared and deleted", async () => {
  const { finding, rendered, calls } = await run(["a", "a", "b"], [admitted, created]);
  expect(finding).toEqual({ note: "1 objects" });
  expect(rendered.map(({ hooks }) => hooks)).toEqual([false, false, false]);
  expect(rendered[2]).toMatchObject({ services: { defaults: { replicas: 0 } } });
  expect(calls).toEqual(["apply dry a", "apply  b", "diff  b", "delete  b"]);
});

test.each([
  [["a", "b"], [], "the same values render other manifests"],
  [["a", "a"], [""], "no object was applied"],
  [["a", "a"], ["x configured (server dry run)\n"], "x configured (server dry run)"],
  [["a", "a", "b"], [admitted, "x unchanged\n"], "x unchanged"],
])("%j and %j are a problem", async (manifests, outputs, problem) => {
  expect((await run(manifests, outputs)).finding).toEqual({ problem });
});
