import type { Commands } from "../commands.ts";
import type { Choice } from "./generation.ts";

export type FinishReason = Choice["finishReason"] | "content_filter";

/** Returns why a choice ended, or what the command `blocked` specifies. */
export function finishReasonOf({ finishReason }: Choice, { blocked }: Commands): FinishReason {
  return blocked ? "content_filter" : finishReason;
}
