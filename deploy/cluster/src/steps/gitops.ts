import type { ClusterStep } from "./step.ts";

/** Without hooks, as Argo CD and Flux apply it, with both families of addresses where the cluster has them. */
const values = { hooks: false, ipFamilyPolicy: "PreferDualStack", secrets: { check: false } };

/**
 * The API server admits what the chart renders for an apply, and the same values render the same. Its
 * objects have other names than those of the release, which an apply would change.
 */
export const gitops: ClusterStep = {
  name: "gitops",
  async run({ release }) {
    const rendered = await release.template("gitops", values);
    if ((await release.template("gitops", values)) !== rendered) {
      return { problem: "the same values render other manifests" };
    }
    const command = ["apply", "--dry-run=server", "--filename", "-"];
    const admitted = (await release.kubectl(command, rendered)).split("\n").filter(Boolean);
    const others = admitted.filter((line) => !line.endsWith(" created (server dry run)"));
    if (others.length > 0) return { problem: others.join("; ") };
    return admitted.length > 0
      ? { note: `${admitted.length} objects` }
      : { problem: "no object was admitted" };
  },
};
