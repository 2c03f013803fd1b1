import type { ClusterStep } from "./step.ts";

export const helmTest: ClusterStep = {
  name: "helm-test",
  async run({ release }) {
    await release.helm(["test", "tollgate", "--logs"]);
    return {};
  },
};
