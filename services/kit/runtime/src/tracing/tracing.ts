/** Sends the spans of this process. */
export interface Tracing {
  /** Sends the remaining spans, and resolves once they are sent or `graceMs` have passed. */
  stop(graceMs: number): Promise<void>;
}
