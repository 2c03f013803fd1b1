import { setTimeout as sleep } from "node:timers/promises";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Capture } from "./capture.ts";

/**
 * The captures that this process has started and not finished. A response may be sent before its
 * charge is captured. A read of the ledger therefore flushes first, and so finds the charges of all
 * earlier responses.
 */
export interface PendingCaptures {
  capture(event: UsageEvent): Promise<void>;
  /**
   * Resolves when all captures that are pending now have succeeded or failed. Undefined if there
   * are none.
   */
  pending(): Promise<void> | undefined;
  /** Starts the gathered captures without waiting for more. Returns the same as `pending`. */
  flush(): Promise<void> | undefined;
}

/** The longest that a call for one wallet waits for captures, which may be of other wallets. */
const maxWaitMs = 1_000;

/** Resolves when `flushed` does, or after 1 second. */
export function orTimeout(flushed: Promise<void>): Promise<void> {
  return Promise.race([flushed, sleep(maxWaitMs, undefined, { ref: false })]);
}

/** Creates a tracker of the captures that are made with `capture`. */
export function trackCaptures(capture: Capture): PendingCaptures {
  /** Of the newest capture: they end in the order in which they start. */
  let last: Promise<void> | undefined;
  return {
    capture(event) {
      const captured = capture(event);
      const ended = captured.then(clear, clear);
      function clear(): void {
        if (last === ended) last = undefined;
      }
      last = ended;
      return captured;
    },
    pending: () => last,
    flush() {
      capture.flush();
      return last;
    },
  };
}
