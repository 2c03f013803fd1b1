import type { IJob } from "kubernetes-models/batch/v1";
import type { IContainer, IPod, IPodSpec } from "kubernetes-models/v1";

/** A manifest as Helm wrote it. Once it is validated it is what its kind says. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    labels: Record<string, string>;
    annotations?: Record<string, string>;
  };
}

/** A pod that the chart brings about, and the workload that it comes from. */
export interface PodOf {
  owner: Manifest;
  component: string;
  labels: Record<string, string>;
  spec: IPodSpec;
  container: IContainer;
}

export function ofKind<M>(manifests: readonly Manifest[], kind: string): (M & Manifest)[] {
  return manifests.filter((manifest): manifest is M & Manifest => manifest.kind === kind);
}

/** Every pod of the release. Each has one container. */
export function podsOf(manifests: readonly Manifest[]): PodOf[] {
  const owners = ["Deployment", "StatefulSet", "Job", "Pod"];
  return manifests
    .filter(({ kind }) => owners.includes(kind))
    .map((owner) => {
      const pod = owner.kind === "Pod" ? (owner as IPod) : (owner as IJob).spec?.template;
      const [container, ...others] = pod?.spec?.containers ?? [];
      const spec = pod?.spec;
      const labels = pod?.metadata?.labels ?? {};
      if (!spec || !container || others.length > 0) throw new Error(`${owner.metadata.name}: odd`);
      return {
        owner,
        component: labels["app.kubernetes.io/component"] ?? "",
        labels,
        spec,
        container,
      };
    });
}

/** The pods that run until they are stopped. */
export function serversOf(manifests: readonly Manifest[]): PodOf[] {
  return podsOf(manifests).filter(({ owner }) =>
    ["Deployment", "StatefulSet"].includes(owner.kind),
  );
}

/** Whether a label selector picks what has `labels`. The chart's selectors have no expressions. */
export function selects(
  selector: { matchLabels?: Record<string, string> } | undefined,
  labels: Record<string, string>,
): boolean {
  return Object.entries(selector?.matchLabels ?? {}).every(
    ([name, value]) => labels[name] === value,
  );
}
