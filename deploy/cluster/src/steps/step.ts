import {
  describeFailures,
  type LoadKind,
  type LoadPlan,
  type PodLoadResult,
} from "../load/plan.ts";
import type { LoadPod } from "../load-pod.ts";
import type { ClusterTestOptions } from "../options.ts";
import type { Release } from "../release.ts";

/** The credit of the account that loads use. */
export const creditUsd = 10_000;

/** What the steps share. */
export interface Context {
  options: ClusterTestOptions;
  release: Release;
  loadPod: LoadPod;
  /** The key of an account with credit, which only loads use. */
  key: string;
  /** The results of all loads that have ended. */
  results: PodLoadResult[];
}

/** The result of a step. It passed if there is no problem. */
export interface Finding {
  problem?: string | undefined;
  /** Why the step does not apply to this cluster. */
  skipped?: string;
  note?: string;
  load?: PodLoadResult;
}

export interface ClusterStep {
  name: string;
  /** Throws where the step cannot be completed. */
  run(context: Context): Promise<Finding>;
}

export const serviceUrl = "http://tollgate-edge:8080";

const usualClients: Readonly<Record<LoadKind, number>> = {
  json: 4,
  stream: 8,
  upload: 2,
  live: 2,
  images: 2,
};

/** Returns the plan of a load of every kind through the edge's Service. */
export function usualLoad({ key }: Context, more: Partial<LoadPlan> = {}): LoadPlan {
  return { url: serviceUrl, key, clients: usualClients, keepAlive: true, pauseMs: 20, ...more };
}

/** Runs `action` under a load. The finding has a problem if a request failed. */
export async function underLoad(
  { loadPod, results }: Context,
  plan: LoadPlan,
  action: () => Promise<void>,
): Promise<Finding & { load: PodLoadResult }> {
  const running = await loadPod.start(plan);
  const [outcome] = await Promise.allSettled([action()]);
  const load = await running.stop();
  results.push(load);
  if (outcome.status === "rejected") throw outcome.reason;
  return { load, problem: describeFailures(load) || undefined };
}
