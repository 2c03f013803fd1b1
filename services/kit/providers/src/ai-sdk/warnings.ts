import type { SharedV4Warning } from "@ai-sdk/provider";
import type { LanguageModelKind } from "./kind.ts";
import { notSupported } from "./members.ts";

/** The member of a chat request behind each feature that packages warn of. */
const memberOf: Readonly<Record<string, string>> = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  seed: "seed",
  toolChoice: "tool_choice",
  strict: "tools",
  responseFormat: "response_format",
  reasoning: "reasoning_effort",
};

/** Throws `invalid_param` for what the package would leave out of a request, or change in it. */
export function refuseWarnings(
  { isHarmless, warnedMembers }: LanguageModelKind,
  warnings: readonly SharedV4Warning[],
): void {
  for (const warning of warnings) {
    if (isHarmless(warning)) continue;
    const feature = "feature" in warning ? warning.feature : "";
    throw notSupported(warnedMembers[feature] ?? memberOf[feature] ?? "messages");
  }
}
