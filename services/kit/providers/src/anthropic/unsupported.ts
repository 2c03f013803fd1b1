import {
  getModelCapabilities,
  supportsNativeStructuredOutputSchema,
} from "@ai-sdk/anthropic/internal";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { isJsonObject } from "@tollgate/core/json";

type Options = Readonly<LanguageModelV4CallOptions>;
type Model = ReturnType<typeof getModelCapabilities>;

/** https://docs.claude.com/en/docs/build-with-claude/prompt-caching */
const maxCacheMarks = 4;

/**
 * Returns the first member of a request that the model does not take, or not beside the others. `hasFormats`:
 * whether the platform takes formats and strict tools, where the model does.
 */
export function unsupportedMember(
  modelId: string,
  options: Options,
  hasFormats: boolean,
): string | undefined {
  const known = getModelCapabilities(modelId);
  const model = hasFormats ? known : { ...known, supportsStructuredOutput: false };
  return (
    unsupportedSampling(model, options) ??
    unsupportedThinking(model, options) ??
    unsupportedBeside(modelId, model, options) ??
    unsupportedTools(model, options) ??
    (cacheMarks(options) > maxCacheMarks ? "messages" : undefined)
  );
}

function unsupportedSampling(
  { rejectsSamplingParameters: rejects }: Model,
  { temperature, topK, topP }: Options,
): string | undefined {
  if (temperature !== undefined && (rejects || temperature > 1 || temperature < 0)) {
    return "temperature";
  }
  if (rejects && topK !== undefined) return "top_k";
  return rejects && topP !== undefined ? "top_p" : undefined;
}

/** Thinking has either a budget of tokens, or an effort. */
function unsupportedThinking(model: Model, options: Options): string | undefined {
  const { reasoning } = options;
  const isRefused =
    (reasoning === "none" &&
      (model.rejectsThinkingDisabled || model.supportsBetweenToolsThinking)) ||
    (reasoning === "xhigh" && !model.supportsXhighEffort) ||
    (hasBudget(options) && model.rejectsBudgetThinking);
  return isRefused ? "reasoning_effort" : undefined;
}

/** Sampling is not set while the model thinks, and not by two members otherwise. */
function unsupportedBeside(
  modelId: string,
  { isKnownModel }: Model,
  options: Options,
): string | undefined {
  const { temperature, topK, topP, reasoning } = options;
  if (hasBudget(options) || (reasoning !== undefined && reasoning !== "none")) {
    if (temperature !== undefined) return "temperature";
    if (topK !== undefined) return "top_k";
    return topP === undefined ? undefined : "top_p";
  }
  const isClaude = isKnownModel || modelId.includes("claude-");
  return isClaude && topP !== undefined && temperature !== undefined ? "top_p" : undefined;
}

/** Where the model has no schemas of its own, a schema is a tool that must be called. */
function unsupportedTools(model: Model, options: Options): string | undefined {
  const { tools = [], toolChoice, responseFormat } = options;
  const schema = responseFormat?.type === "json" ? responseFormat.schema : undefined;
  const isTool =
    schema !== undefined &&
    !(model.supportsStructuredOutput && supportsNativeStructuredOutputSchema(schema));
  const kept = tools.filter(
    ({ name }) =>
      !isTool ||
      (toolChoice?.type !== "none" &&
        (toolChoice?.type !== "tool" || toolChoice.toolName === name)),
  );
  const isStrict = kept.some((tool) => tool.type === "function" && tool.strict === true);
  if (isStrict && !model.supportsStructuredOutput) return "tools";
  const isForced =
    isTool ||
    (tools.length > 0 && (toolChoice?.type === "required" || toolChoice?.type === "tool"));
  return isForced && (model.rejectsForcedToolUse || hasBudget(options)) ? "tool_choice" : undefined;
}

function hasBudget({ providerOptions }: Options): boolean {
  const thinking = providerOptions?.anthropic?.thinking;
  return isJsonObject(thinking) && thinking.type === "enabled";
}

function cacheMarks({ prompt, tools = [] }: Options): number {
  let marks = tools.filter(isMarked).length;
  for (const message of prompt) {
    if (isMarked(message)) marks += 1;
    if (typeof message.content === "string") continue;
    for (const part of message.content) if (isMarked(part)) marks += 1;
  }
  return marks;
}

function isMarked(part: object): boolean {
  const { providerOptions } = part as Pick<LanguageModelV4CallOptions, "providerOptions">;
  return providerOptions?.anthropic?.cacheControl !== undefined;
}
