/** The kinds of requests: chat as JSON and as a stream, a file, a live socket, an image. */
export type LoadKind = "json" | "stream" | "upload" | "live" | "images";

/** What a load sends, and where. */
export interface LoadPlan {
  url: string;
  /** The value of the `Host` header, where it is not that of the URL. */
  host?: string;
  key: string;
  /** How many clients send requests of each kind, one after the other. */
  clients: Partial<Record<LoadKind, number>>;
  /** Whether a client sends all its requests over one connection, or each over a new one. */
  keepAlive: boolean;
  /** Milliseconds that a client waits after each response. */
  pauseMs: number;
}

export interface PodLoadResult {
  requests: number;
  /** How often each kind of failure happened. */
  failures: Record<string, number>;
  /** Milliseconds from the start of the load to the last failure; 0 without one. */
  lastFailureMs: number;
  slowestMs: number;
  /** The costs of all responses. */
  costMicroUsd: number;
  /**
   * What the failed requests cost at most, if they were charged although their responses were lost:
   * for each of them, the highest cost of a response of its kind.
   */
  uncertainMicroUsd: number;
}

/** Returns the number of failed requests. */
export function failuresOf({ failures }: PodLoadResult): number {
  return Object.values(failures).reduce((sum, count) => sum + count, 0);
}

/** Returns the failures as text: how often each kind happened. Empty without one. */
export function describeFailures({ failures }: PodLoadResult): string {
  const kinds = Object.entries(failures).map(([failure, count]) => `${count} × ${failure}`);
  return kinds.join("; ");
}

/** Returns the sums of several results. */
export function addUp(results: readonly PodLoadResult[]): PodLoadResult {
  const total = emptyLoadResult();
  for (const result of results) {
    total.requests += result.requests;
    total.costMicroUsd += result.costMicroUsd;
    total.uncertainMicroUsd += result.uncertainMicroUsd;
    total.slowestMs = Math.max(total.slowestMs, result.slowestMs);
    total.lastFailureMs = Math.max(total.lastFailureMs, result.lastFailureMs);
    for (const [failure, count] of Object.entries(result.failures)) {
      total.failures[failure] = (total.failures[failure] ?? 0) + count;
    }
  }
  return total;
}

/** Returns the result of a load that has sent nothing. */
export function emptyLoadResult(): PodLoadResult {
  return {
    requests: 0,
    failures: {},
    lastFailureMs: 0,
    slowestMs: 0,
    costMicroUsd: 0,
    uncertainMicroUsd: 0,
  };
}
