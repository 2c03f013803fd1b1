import type { IJob } from "kubernetes-models/batch/v1";
import type { IContainer, IPod, IPodSpec } from "kubernetes-models/v1";

/** A manifest that Helm rendered. Other fields depend on its kind. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    labels: Record<string, string>;
    annotations?: Record<string, string>;
  };
}

/** A pod template of the chart, and the workload that contains it. */
export interface ChartPod {
  owner: Manifest;
  component: string;
  labels: Record<string, string>;
  spec: IPodSpec;
  container: IContainer;
}

export function ofKind<M>(manifests: readonly Manifest[], kind: string): (M & Manifest)[] {
  return manifests.filter((manifest): manifest is M & Manifest => manifest.kind === kind);
}

/** Returns every pod of the release. Throws when one does not have exactly one container. */
export function podsOf(manifests: readonly Manifest[]): ChartPod[] {
  const owners = ["Deployment", "StatefulSet", "Job", "Pod"];
  return manifests
    .filter(({ kind }) => owners.includes(kind))
    .map((owner) => {
      const pod = owner.kind === "Pod" ? (owner as IPod) : (owner as IJob).spec?.template;
      const [container, ...others] = pod?.spec?.containers ?? [];
      const spec = pod?.spec;
      const labels = pod?.metadata?.labels ?? {};
      if (!spec || !container || others.length > 0)
        throw new Error(`${owner.metadata.name} must have exactly one container`);
      return {
        owner,
        component: labels["app.kubernetes.io/component"] ?? "",
        labels,
        spec,
        container,
      };
    });
}

/** Returns the pods of Deployments and StatefulSets. */
export function serversOf(manifests: readonly Manifest[]): ChartPod[] {
  return podsOf(manifests).filter(({ owner }) =>
    ["Deployment", "StatefulSet"].includes(owner.kind),
  );
}

/** Returns whether a label selector matches. The chart's selectors have no expressions. */
export function selects(
  selector: { matchLabels?: Record<string, string> } | undefined,
  labels: Record<string, string>,
): boolean {
  return Object.entries(selector?.matchLabels ?? {}).every(
    ([name, value]) => labels[name] === value,
  );
}
