import { fileURLToPath } from "node:url";
import type { Cluster } from "./cluster.ts";
import type { ClusterTestOptions } from "./options.ts";
import { run } from "./programs.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Builds the images of the gateway and the simulator with Docker, and loads them into a kind or
 * minikube cluster. Docker Desktop's cluster has them already. Throws for any other cluster, which
 * pulls its images from a registry.
 */
export async function buildImages(
  options: ClusterTestOptions,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<void> {
  const { context } = cluster;
  const config = await cluster.kubectl(["config", "view", "--minify", "--output", "json"]);
  const kind = kindOf(context, config);
  for (const [image, target] of [
    [options.image, "gateway"],
    [options.simulator, "simulator"],
  ] as const) {
    const name = `${image.repository}:${image.tag}`;
    const file = ["--file", "deploy/Dockerfile", "--target", target];
    await run("docker", ["build", ...file, "--tag", name, root], { signal });
    const [program, ...args] = loadCommand(kind, context, name);
    if (program !== undefined) await run(program, args, { signal });
  }
}

type ClusterKind = "kind" | "minikube" | "docker-desktop";

interface Config {
  contexts?: { context: { extensions?: { extension?: { provider?: string } }[] } }[];
}

/** Returns the kind of a cluster from its context and the kubectl configuration of that context. */
export function kindOf(context: string, configJson: string): ClusterKind {
  if (context.startsWith("kind-")) return "kind";
  if (context === "docker-desktop") return "docker-desktop";
  // A minikube context is named for its profile, whatever that is.
  const { contexts = [] } = JSON.parse(configJson) as Config;
  const extensions = contexts.flatMap((entry) => entry.context.extensions ?? []);
  if (extensions.some(({ extension }) => extension?.provider === "minikube.sigs.k8s.io")) {
    return "minikube";
  }
  const advice = "push the images to a registry, and name them with --image and --simulator";
  throw new Error(`--build cannot load images into ${context}: ${advice}`);
}

/** Returns the command that loads an image into the cluster of a context; empty if it has it. */
export function loadCommand(kind: ClusterKind, context: string, image: string): string[] {
  if (kind === "docker-desktop") return [];
  if (kind === "minikube") return ["minikube", "--profile", context, "image", "load", image];
  return ["kind", "load", "docker-image", image, "--name", context.slice("kind-".length)];
}
