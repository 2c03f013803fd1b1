import type { ClusterStep, Finding } from "./step.ts";

/** Without hooks, as Argo CD and Flux apply it, with both families of addresses where the cluster has them. */
const values = {
  hooks: false,
  ipFamilyPolicy: "PreferDualStack",
  secrets: { check: false },
  // Two ingresses of one host are refused by some controllers.
  ingress: { enabled: false },
};

const off = { enabled: false };

/** The same without pods. */
const withoutPods = {
  ...values,
  dev: { postgres: off, nats: off, simulator: off },
  services: { defaults: { replicas: 0 }, console: { replicas: 0 } },
};

/**
 * The API server admits what the chart renders for an apply, the same values render the same, and a second apply
 * would change nothing. The objects have other names than those of the release, which an apply would change.
 */
export const gitops: ClusterStep = {
  name: "gitops",
  async run({ release: { kubectl, template } }) {
    const rendered = await template("gitops", values);
    if ((await template("gitops", values)) !== rendered) {
      return { problem: "the same values render other manifests" };
    }
    const dryRun = ["apply", "--dry-run=server", "--filename", "-"];
    const admitted = expectEach(await kubectl(dryRun, rendered), " created (server dry run)");
    if (admitted.problem !== undefined) return admitted;
    const applied = await template("gitops", withoutPods);
    try {
      const output = await kubectl(["apply", "--filename", "-"], applied);
      const { problem } = expectEach(output, " created");
      if (problem !== undefined) return { problem };
      // It fails where the objects differ. A second apply itself also names objects that it has not changed.
      await kubectl(["diff", "--filename", "-"], applied);
      return admitted;
    } finally {
      await kubectl(["delete", "--wait=false", "--ignore-not-found", "--filename", "-"], applied);
    }
  },
};

/**
 * Returns how many objects `kubectl apply` names. It is a problem if one of its lines ends otherwise, or it has
 * none.
 */
function expectEach(output: string, end: string): Finding {
  const lines = output.split("\n").filter(Boolean);
  const others = lines.filter((line) => !line.endsWith(end));
  if (others.length > 0) return { problem: others.join("; ") };
  if (lines.length === 0) return { problem: "no object was applied" };
  return { note: `${lines.length} objects` };
}
