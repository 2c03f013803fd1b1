/** What a load sends, and where. */
export interface LoadPlan {
  url: string;
  /** The value of the `Host` header, where it is not that of the URL. */
  host?: string;
  key: string;
  jsonClients: number;
  streamClients: number;
  /** Whether a client sends all its requests over one connection, or each over a new one. */
  keepAlive: boolean;
  /** Milliseconds that a client waits after each response. */
  pauseMs: number;
}

export interface LoadResult {
  requests: number;
  /** How often each kind of failure happened. */
  failures: Record<string, number>;
  /** Milliseconds from the start of the load to the last failure; 0 without one. */
  lastFailureMs: number;
  slowestMs: number;
  /** The costs in all responses. */
  costMicroUsd: number;
}
