import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";
import { minOf } from "@tollgate/core/money";
import { type ChatUsage, divide, tokenCountOf } from "../chat-usage.ts";

/**
 * Reads the usage of Gemini: `promptTokenCount` includes the tokens of the cache, and
 * `candidatesTokenCount` excludes those of thoughts. Where it is missing, it is the rest of the total.
 * https://ai.google.dev/api/generate-content#UsageMetadata
 */
export function readUsageBlock(block: unknown): ChatUsage | undefined {
  if (!isJsonObject(block)) return undefined;
  const prompt = readCount(block.promptTokenCount);
  if (prompt === undefined) return undefined;
  const promptTokens = prompt + tokenCountOf(block.toolUsePromptTokenCount);
  const thoughts = tokenCountOf(block.thoughtsTokenCount);
  const rest = tokenCountOf(block.totalTokenCount) - promptTokens - thoughts;
  const reported = readCount(block.candidatesTokenCount);
  const candidates = reported ?? (rest > 0n ? rest : 0n);
  const completionTokens = candidates + thoughts;
  const cachedTokens = minOf(tokenCountOf(block.cachedContentTokenCount), promptTokens);
  const audio = audioTokens(block.promptTokensDetails);
  const cachedAudio = minOf(audioTokens(block.cacheTokensDetails), audio);
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    tokens: [
      ...divide(promptTokens, "input", [
        ["cached_input", cachedTokens],
        ["audio_input", audio - cachedAudio],
      ]),
      ...divide(completionTokens, "output", [
        ["audio_output", audioTokens(block.candidatesTokensDetails)],
      ]),
    ],
    reasoningTokens: thoughts,
    toolCalls: [],
    basis: "provider",
    details: {
      prompt_tokens_details: { cached_tokens: Number(cachedTokens) },
      completion_tokens_details: { reasoning_tokens: Number(thoughts) },
    },
    block,
    ...(reported === undefined && completionTokens === 0n ? { isPromptOnly: true } : {}),
  };
}

/** Returns the tokens of audio in a list of modalities. */
function audioTokens(details: unknown): bigint {
  if (!Array.isArray(details)) return 0n;
  const ofAudio = details.filter((one) => isJsonObject(one) && one.modality === "AUDIO");
  return tokenCountOf((ofAudio[0] as JsonObject | undefined)?.tokenCount);
}
