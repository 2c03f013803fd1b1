interface Item {
  kind: string;
  metadata: {
    name: string;
    labels?: Record<string, string>;
    deletionTimestamp?: string;
  };
  spec: { replicas?: number };
  status: { phase?: string; conditions?: { type: string; status: string }[] };
}

/** What `kubectl get deployments,statefulsets,pods --output json` prints. */
export interface Workloads {
  items: readonly Item[];
}

const component = ({ metadata }: Item) => metadata.labels?.["app.kubernetes.io/component"];

/** Returns the resources that run pods, as `kubectl rollout status` takes them. */
export function namesOf({ items }: Workloads): string[] {
  return items
    .filter(({ kind }) => kind !== "Pod")
    .map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`);
}

/**
 * Returns a sentence for each service that has not exactly as many ready pods as it should, or that
 * has pods that are terminating or not ready.
 */
export function unsettled({ items }: Workloads, services: readonly string[]): string[] {
  return services.flatMap((service) => {
    const own = items.filter((item) => component(item) === service);
    const owner = own.find(({ kind }) => kind !== "Pod");
    if (owner === undefined) return [`${service} does not exist`];
    const pods = own.filter(
      ({ kind, status }) =>
        kind === "Pod" && status.phase !== "Failed" && status.phase !== "Succeeded",
    );
    const replicas = owner.spec.replicas ?? 1;
    const ready = pods.filter(isReady).length;
    if (ready === replicas && pods.length === replicas) return [];
    return [`${service} has ${pods.length} pods, ${ready} of them ready, and not ${replicas}`];
  });
}

/** Returns whether a pod is ready and not terminating. */
function isReady({ metadata, status: { conditions = [] } }: Item): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    conditions.some(({ type, status }) => type === "Ready" && status === "True")
  );
}
