import { setTimeout as sleep } from "node:timers/promises";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { CaptureBatch } from "./capture.ts";

/**
 * The captures that this process has started and not finished. A response may be sent before its
 * charge is captured. A read of the ledger therefore flushes first, and so finds the charges of all
 * earlier responses.
 */
export interface PendingCaptures {
  capture(event: UsageEvent): Promise<void>;
  /** Returns how many events are being captured, or wait for that. */
  count(): number;
  /**
   * Resolves when all captures of an account, or of all, that are pending now have succeeded or
   * failed. Undefined if there are none.
   */
  pending(accountId?: string): Promise<void> | undefined;
  /** Starts the gathered captures without waiting for more. Returns the same as `pending`. */
  flush(accountId?: string): Promise<void> | undefined;
}

/** The longest that a call waits for captures: those of a locked wallet may take long. */
const maxWaitMs = 1_000;

/** Resolves when `flushed` does, or after 1 second. */
export function orTimeout(flushed: Promise<void>): Promise<void> {
  return Promise.race([flushed, sleep(maxWaitMs, undefined, { ref: false })]);
}

/** Creates a tracker of the captures that are made with `capture`. */
export function trackCaptures(capture: CaptureBatch): PendingCaptures {
  /** By account, resolves when its newest capture and all before it have ended. */
  const lasts = new Map<string, Promise<void>>();
  let unfinished = 0;

  function pending(accountId?: string): Promise<void> | undefined {
    if (accountId !== undefined) return lasts.get(accountId);
    const [first, ...others] = lasts.values();
    return others.length === 0 ? first : Promise.all([first, ...others]).then(() => {});
  }

  return {
    capture(event) {
      const { accountId } = event;
      const captured = capture(event);
      unfinished += 1;
      const before = lasts.get(accountId);
      const end = async (): Promise<void> => {
        unfinished -= 1;
        await before;
        if (lasts.get(accountId) === ended) lasts.delete(accountId);
      };
      const ended: Promise<void> = captured.then(end, end);
      lasts.set(accountId, ended);
      return captured;
    },
    count: () => unfinished,
    pending,
    flush(accountId) {
      capture.flush();
      return pending(accountId);
    },
  };
}
