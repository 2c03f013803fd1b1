import type { LanguageModelV4FinishReason, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { LanguageModelKind } from "./kind.ts";

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
export function finishReasonOf(
  kind: LanguageModelKind,
  { unified: known, raw }: LanguageModelV4FinishReason,
): string {
  const unified = kind.reasons?.[raw ?? ""] ?? known;
  if (unified !== "error") return reasons[unified] ?? "stop";
  throw new SlotFailure("unusable", `the provider's model failed: ${raw ?? "no reason"}`);
}

/** Returns the provider's explanation of a response that it refused or stopped, or null. */
export function refusalTextOf(
  kind: LanguageModelKind,
  { unified }: LanguageModelV4FinishReason,
  metadata: SharedV4ProviderMetadata | undefined,
): string | null {
  return unified === "content-filter" ? kind.refusalOf(metadata) : null;
}
