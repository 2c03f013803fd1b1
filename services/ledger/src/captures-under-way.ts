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
      capture.hurry();
      return last;
    },
  };
}
