import type { SharedV4Warning } from "@ai-sdk/provider";
import { notSupported } from "./members.ts";

/** The member of a chat request behind each feature that the library warns of. */
const memberOf: Readonly<Record<string, string>> = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  toolChoice: "tool_choice",
  strict: "tools",
  responseFormat: "response_format",
  reasoning: "reasoning_effort",
  "extended thinking": "reasoning_effort",
};

/**
 * Throws `invalid_param` for what the library would leave out of a request, or change in it. A lower
 * output limit is no loss: the model's own limit applies.
 */
export function refuseWarnings(warnings: readonly SharedV4Warning[]): void {
  for (const warning of warnings) {
    const feature = "feature" in warning ? warning.feature : "";
    if (feature === "maxOutputTokens") continue;
    const isReasoning = feature.startsWith("providerOptions.anthropic.");
    throw notSupported(memberOf[feature] ?? (isReasoning ? "reasoning_effort" : "messages"));
  }
}
