import type { LanguageModelV4ReasoningPart } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";

/**
 * Thinking in the form of OpenRouter's `reasoning_details`, which clients send back unchanged:
 * https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export type ReasoningDetail =
  | { type: "reasoning.text"; text: string; signature: string; format: string; index: number }
  | { type: "reasoning.encrypted"; data: string; format: string; index: number };

const format = "anthropic-claude-v1";

/** Returns the detail of a block of thinking; undefined where Anthropic did not sign it. */
export function reasoningDetail(
  text: string,
  metadata: unknown,
  index: number,
): ReasoningDetail | undefined {
  const { signature, redactedData }: JsonObject = isJsonObject(metadata) ? metadata : {};
  if (typeof redactedData === "string") {
    return { type: "reasoning.encrypted", data: redactedData, format, index };
  }
  if (typeof signature !== "string") return undefined;
  return { type: "reasoning.text", text, signature, format, index };
}

/** Returns the blocks of thinking that Anthropic signed. Other kinds' details are not its own. */
export function readReasoning(details: unknown): LanguageModelV4ReasoningPart[] {
  if (!Array.isArray(details)) return [];
  return details.filter(isJsonObject).flatMap(({ type, text, signature, data, ...rest }) => {
    if (rest.format !== format) return [];
    if (type === "reasoning.text" && typeof signature === "string") {
      const anthropic = { signature };
      return { type: "reasoning" as const, text: String(text), providerOptions: { anthropic } };
    }
    if (type !== "reasoning.encrypted" || typeof data !== "string") return [];
    const anthropic = { redactedData: data };
    return { type: "reasoning" as const, text: "", providerOptions: { anthropic } };
  });
}
