import { getModelCapabilities } from "@ai-sdk/anthropic/internal";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { isJsonObject } from "@tollgate/core/json";
import { isClaude } from "./families.ts";

type Options = Readonly<LanguageModelV4CallOptions>;

/** Models of Claude whose tools are not strict on Bedrock, as the package knows them. */
const withoutStrictTools = [
  "claude-opus-4-7",
  "claude-opus-4-8",
  "claude-opus-5",
  "claude-fable-5",
  "claude-sonnet-5",
];

/** The efforts of models that have some, besides those of Claude. */
const efforts: ReadonlySet<string> = new Set(["none", "low", "medium", "high"]);

/** Returns the first member of a request that the model does not take, or not beside the others. */
export function unsupportedMember(modelId: string, options: Options): string | undefined {
  return (
    unsupportedSampling(modelId, options) ??
    unsupportedEffort(modelId, options) ??
    unsupportedTools(modelId, options) ??
    unsupportedBeside(modelId, options) ??
    (hasUnknownCalls(options) ? "tools" : undefined)
  );
}

function unsupportedSampling(modelId: string, { temperature, topP }: Options): string | undefined {
  const { rejectsSamplingParameters: rejects } = getModelCapabilities(modelId);
  const isFree = isOpenAi(modelId) && !isGptOss(modelId);
  if (temperature !== undefined && (rejects || (temperature > 1 && !isFree))) return "temperature";
  return rejects && topP !== undefined ? "top_p" : undefined;
}

/** Those of Claude are checked where they are translated. Nova has no output limit beside the highest. */
function unsupportedEffort(
  modelId: string,
  { reasoning, maxOutputTokens }: Options,
): string | undefined {
  if (isClaude(modelId) || reasoning === undefined || reasoning === "none") return undefined;
  const isNova = modelId.includes("amazon.nova-2-lite-v1:0");
  const isTaken = (isNova || isOpenAi(modelId)) && efforts.has(reasoning);
  if (!isTaken) return "reasoning_effort";
  const isUnlimited = isNova && reasoning === "high" && maxOutputTokens !== undefined;
  return isUnlimited ? "reasoning_effort" : undefined;
}

function unsupportedTools(
  modelId: string,
  { tools = [], toolChoice }: Options,
): string | undefined {
  if (tools.length === 0) return undefined;
  const isForced = toolChoice?.type === "required" || toolChoice?.type === "tool";
  if (isForced && isClaude(modelId) && getModelCapabilities(modelId).rejectsForcedToolUse) {
    return "tool_choice";
  }
  const takesStrict = !withoutStrictTools.some((model) => modelId.includes(model));
  const refused = tools.findIndex(
    (tool) =>
      tool.type === "function" &&
      tool.strict === true &&
      !(takesStrict && isClosed(tool.inputSchema)),
  );
  return refused < 0 ? undefined : `tools[${refused}].function.strict`;
}

/** Whether every object in a schema refuses other properties, as strict tools must. */
function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed);
  if (!isJsonObject(schema)) return true;
  const { type, additionalProperties } = schema;
  const isObject = type === "object" || (Array.isArray(type) && type.includes("object"));
  if (isObject && additionalProperties !== false) return false;
  return Object.values(schema).every(isClosed);
}

/** Claude's sampling is not set while it thinks, and OpenAI's models have less of it. */
function unsupportedBeside(
  modelId: string,
  { temperature, topP, stopSequences, providerOptions }: Options,
): string | undefined {
  const isThinking = providerOptions?.amazonBedrock?.reasoningConfig !== undefined;
  if ((isThinking && isClaude(modelId)) || (isOpenAi(modelId) && !isGptOss(modelId))) {
    if (temperature !== undefined) return "temperature";
    if (topP !== undefined) return "top_p";
  }
  return isOpenAi(modelId) && stopSequences !== undefined ? "stop" : undefined;
}

/** Whether the prompt has calls of tools, and the request none that may be called. */
function hasUnknownCalls({ prompt, tools = [], toolChoice, responseFormat }: Options): boolean {
  const isSchema = responseFormat?.type === "json" && responseFormat.schema !== undefined;
  if (isSchema || (tools.length > 0 && toolChoice?.type !== "none")) return false;
  return prompt.some(
    ({ content }) =>
      typeof content !== "string" &&
      content.some(({ type }) => type === "tool-call" || type === "tool-result"),
  );
}

function isOpenAi(modelId: string): boolean {
  return /^(?:[^.]+\.)?openai\./.test(modelId);
}

function isGptOss(modelId: string): boolean {
  return /^(?:[^.]+\.)?openai\.gpt-oss-/.test(modelId);
}
