import { createInterface } from "node:readline";
import type { Release } from "./release.ts";

/** Forwards a port of this machine to a Service. Returns the URL there. */
export async function forwardPort(
  release: Release,
  service: string,
  port: number,
): Promise<{ url: string; stop(): void }> {
  const child = release.startKubectl(["port-forward", `service/${service}`, `:${port}`]);
  if (child.stdout === null) throw new Error("kubectl has no standard output");
  for await (const line of createInterface({ input: child.stdout })) {
    const [, address] = /^Forwarding from (127\.0\.0\.1:\d+)/.exec(line) ?? [];
    if (address !== undefined) return { url: `http://${address}`, stop: () => child.kill() };
  }
  throw new Error("kubectl port-forward ended");
}
