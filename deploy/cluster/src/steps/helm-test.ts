import type { Step } from "./step.ts";

export const helmTest: Step = {
  name: "helm-test",
  async run({ release }) {
    await release.helm(["test", "tollgate", "--logs"]);
    return {};
  },
};
