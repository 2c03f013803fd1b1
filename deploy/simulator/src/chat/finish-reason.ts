import type { Commands } from "../commands.ts";
import type { GeneratedChoice } from "./generation.ts";

export type FinishReason = GeneratedChoice["finishReason"] | "content_filter";

/** Returns why a choice ended, or what the command `blocked` specifies. */
export function simulatedFinishReason(
  { finishReason }: GeneratedChoice,
  { blocked }: Commands,
): FinishReason {
  return blocked ? "content_filter" : finishReason;
}
