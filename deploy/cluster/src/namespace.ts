import { randomBytes } from "node:crypto";
import type { Cluster } from "./cluster.ts";

/** Returns a name that no namespace has yet. */
export function newNamespaceName(): string {
  return `tollgate-test-${randomBytes(3).toString("hex")}`;
}

/** Creates a namespace that admits only pods of the Pod Security Standard `restricted`. */
export async function createNamespace({ kubectl }: Cluster, name: string): Promise<void> {
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
  await kubectl(["create", "--filename", "-"], JSON.stringify(namespace));
}

/** Starts the deletion of a namespace, if it exists. Does not wait for its end. */
export async function removeNamespace({ kubectl }: Cluster, name: string): Promise<void> {
  await kubectl(["delete", "namespace", name, "--wait=false", "--ignore-not-found"]);
}
