import { retry } from "../wait-for.ts";
import type { Context } from "./step.ts";

/** The longest time in which an ingress controller routes a new host. */
const routedSeconds = 120;

/** Resolves when the ingress routes requests of the load's pod to the edge. */
export async function routesFromPod({ loadPod, release }: Context, url: string): Promise<void> {
  const headers = { host: release.ingressHost };
  await retry("the ingress routes requests of pods", routedSeconds, () =>
    loadPod.get(`${url}/v1/health`, headers),
  );
}

/** Resolves when the ingress routes requests that `fetchThere` sends to the edge. */
export async function routesFromHere(fetchThere: typeof fetch, url: string): Promise<void> {
  await retry("the ingress routes requests of this machine", routedSeconds, async () => {
    const response = await fetchThere(`${url}/v1/health`, { signal: AbortSignal.timeout(10_000) });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`it responds with ${response.status}`);
  });
}
