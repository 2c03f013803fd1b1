import type { LanguageModelV4FinishReason } from "@ai-sdk/provider";
import { SlotFailure } from "@tollgate/upstream/failure";

const reasons: { readonly [Reason in LanguageModelV4FinishReason["unified"]]?: string } = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

/**
 * Returns the `finish_reason` of a choice. Throws a SlotFailure where the model failed, for instance
 * because it called a tool with arguments that are not JSON.
 */
export function finishReasonOf({ unified, raw }: LanguageModelV4FinishReason): string {
  if (unified !== "error") return reasons[unified] ?? "stop";
  throw new SlotFailure("unusable", `the provider's model failed: ${raw ?? "no reason"}`);
}
