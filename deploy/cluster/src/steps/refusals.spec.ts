import { expect, test } from "vitest";
import { CommandError } from "../programs.ts";
import { refusals } from "./refusals.ts";
import type { Context, Finding } from "./step.ts";

interface State {
  catalog: string;
  pods: string;
}

/** Runs the step with a chart that refuses all upgrades, the first of which changes the state. */
function run(changed: Partial<State> = {}): Promise<Finding> {
  let state: State = { catalog: "{}", pods: "pod/chat" };
  const release = {
    kubectl: async ([, kind]: readonly string[]) =>
      kind === "configmap" ? state.catalog : state.pods,
    async deploy(values: object) {
      state = { ...state, ...changed };
      const reason = "catalog" in values ? "broken has no chain" : "Secret missing: not found";
      throw new CommandError("helm upgrade", 1, `Error: ${reason}`);
    },
  };
  const options = { catalog: "file" };
  return refusals.run({ options, release } as unknown as Context);
}

test("refused upgrades that change nothing pass, with their sentences", async () => {
  const note = "Error: broken has no chain; Error: Secret missing: not found";
  expect(await run()).toEqual({ note });
});

test("a refused upgrade that changes the catalog or a pod is a problem", async () => {
  const catalog = await run({ catalog: '{"catalog.yaml":"broken"}' });
  expect(catalog.problem).toContain("changed the catalog");
  const pods = await run({ pods: "pod/other" });
  expect(pods.problem).toContain("changed the pods: pod/chat → pod/other");
});
