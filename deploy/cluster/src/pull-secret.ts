import type { Cluster } from "./cluster.ts";

/** Copies a Secret of the context's own namespace into another namespace. */
export async function copyPullSecret(
  { kubectl }: Cluster,
  name: string,
  namespace: string,
): Promise<void> {
  const json = await kubectl(["get", "secret", name, "--output", "json"]);
  const { type, data } = JSON.parse(json) as { type: string; data: Record<string, string> };
  const copy = { apiVersion: "v1", kind: "Secret", metadata: { name }, type, data };
  await kubectl(["--namespace", namespace, "create", "--filename", "-"], JSON.stringify(copy));
}
