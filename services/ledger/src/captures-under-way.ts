import { setTimeout as sleep } from "node:timers/promises";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Capture } from "./capture.ts";

export interface CapturesUnderWay {
  capture(event: UsageEvent): Promise<void>;
  /** What `ended` would answer, and nobody waits for it yet. */
  underWay(): Promise<void> | undefined;
  /**
   * Resolves once all that this process was capturing when it is called has ended, well or not.
   * Undefined when that was nothing.
   */
  ended(): Promise<void> | undefined;
}

/** The longest that one wallet's business waits for captures, which may be of others. */
const maxWaitMs = 1_000;

/** Waits for what is under way, but for no longer than that. */
export function endedSoon(ended: Promise<void>): Promise<void> {
  return Promise.race([ended, sleep(maxWaitMs, undefined, { ref: false })]);
}

/**
 * Knows when captures end. An answer may go out before its charge is captured; whoever reads the
 * books waits for what is under way, and so finds in them what was answered before.
 */
export function followCaptures(capture: Capture): CapturesUnderWay {
  /** They end in the order in which they began. */
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
    underWay: () => last,
    ended() {
      capture.flush();
      return last;
    },
  };
}
