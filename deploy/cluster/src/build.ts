import { fileURLToPath } from "node:url";
import type { Options } from "./options.ts";
import { run } from "./programs.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Builds the images of the gateway and the simulator with Docker, and loads them into a kind or
 * minikube cluster. Docker Desktop's cluster has them already. Throws for any other cluster, which
 * pulls its images from a registry.
 */
export async function buildImages(options: Options, context: string): Promise<void> {
  const load = loaderOf(context);
  for (const [image, target] of [
    [options.image, "gateway"],
    [options.simulator, "simulator"],
  ] as const) {
    const name = `${image.repository}:${image.tag}`;
    const file = ["--file", "deploy/Dockerfile", "--target", target];
    await run("docker", ["build", ...file, "--tag", name, root]);
    await load(name);
  }
}

function loaderOf(context: string): (image: string) => Promise<unknown> {
  if (context.startsWith("kind-")) {
    const cluster = context.slice("kind-".length);
    return (image) => run("kind", ["load", "docker-image", image, "--name", cluster]);
  }
  if (context.startsWith("minikube")) return (image) => run("minikube", ["image", "load", image]);
  if (context === "docker-desktop") return async () => {};
  const advice = "push the images to a registry, and name them with --image and --simulator";
  throw new Error(`--build cannot load images into ${context}: ${advice}`);
}
