import type { LanguageModelV4FinishReason } from "@ai-sdk/provider";

const reasons: { readonly [Reason in LanguageModelV4FinishReason["unified"]]?: string } = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

/** Returns the `finish_reason` of a choice. */
export function finishReasonOf({ unified }: LanguageModelV4FinishReason): string {
  return reasons[unified] ?? "stop";
}
