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
 * Returns the `finish_reason` of a choice. A reason that says nothing of the calls beside it is that of
 * calls. Throws a SlotFailure where the model failed, for instance because it called a tool with arguments
 * that are not JSON.
 */
export function finishReasonOf(
  kind: LanguageModelKind,
  finish: LanguageModelV4FinishReason,
  hasCalls: boolean,
): string {
  const unified = meaningOf(kind, finish);
  if (unified === "error") {
    throw new SlotFailure("unusable", `the provider's model failed: ${finish.raw ?? "no reason"}`);
  }
  const reason = reasons[unified] ?? "stop";
  return reason === "stop" && hasCalls ? "tool_calls" : reason;
}

/** Whether the provider gave no reason to finish. */
export function isUnfinished({ unified, raw }: LanguageModelV4FinishReason): boolean {
  return unified === "interrupted" || (unified === "other" && raw === undefined);
}

/** Returns the provider's explanation of a response that it refused or stopped, or null. */
export function refusalTextOf(
  kind: LanguageModelKind,
  finish: LanguageModelV4FinishReason,
  metadata: SharedV4ProviderMetadata | undefined,
): string | null {
  return meaningOf(kind, finish) === "content-filter" ? kind.refusalOf(metadata) : null;
}

function meaningOf(
  kind: LanguageModelKind,
  { unified, raw }: LanguageModelV4FinishReason,
): LanguageModelV4FinishReason["unified"] {
  return kind.reasons?.[raw ?? ""] ?? unified;
}
