import { getModelCapabilities } from "@ai-sdk/anthropic/internal";
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { invalidParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { notSupported } from "./members.ts";
import { cacheOptions, promptOf } from "./prompt.ts";

type Reasoning = NonNullable<LanguageModelV4CallOptions["reasoning"]>;

/** The part of the output limit that a model may think with, by effort. */
const budgetShares: { readonly [Effort in Reasoning]?: number } = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.9,
  max: 0.95,
};
/** The least budget that Anthropic accepts. */
const leastBudget = 1_024;

/**
 * Translates a chat completion request for a model. Throws `invalid_param` for a value that
 * Anthropic's wire cannot express.
 */
export function callOptions(modelId: string, request: JsonObject): LanguageModelV4CallOptions {
  const anthropic: Record<string, unknown> = {};
  const userId = isJsonObject(request.metadata) ? request.metadata.user_id : undefined;
  const user = userId ?? request.user ?? undefined;
  if (user !== undefined) anthropic.metadata = { userId: String(user) };
  if (request.parallel_tool_calls === false) anthropic.disableParallelToolUse = true;
  const limit = request.max_completion_tokens ?? request.max_tokens;
  const { thinking, ...limits } = thinkingOf(modelId, request.reasoning_effort, limit);
  if (thinking !== undefined) anthropic.thinking = thinking;
  return {
    prompt: promptOf(request.messages as readonly JsonObject[]),
    ...limits,
    // Both are Anthropic's own default, which it refuses beside thinking.
    ...numbers({ temperature: unless(1, request.temperature), topP: unless(1, request.top_p) }),
    ...numbers({ topK: request.top_k }),
    ...stopOf(request.stop),
    ...formatOf(request.response_format),
    ...toolsOf(request),
    providerOptions: { anthropic } as SharedV4ProviderOptions,
  };
}

interface ThinkingOptions {
  maxOutputTokens?: number;
  reasoning?: Reasoning;
  thinking?: { type: "enabled"; budgetTokens: number };
}

/**
 * The thinking budget is part of the output limit, which the hold covers. The library adds it to the
 * limit, so it is subtracted here. A limit without room for the least budget leaves no thinking.
 */
function thinkingOf(modelId: string, effort: unknown, limit: unknown): ThinkingOptions {
  const maxOutputTokens = typeof limit === "number" ? limit : undefined;
  const limits = maxOutputTokens === undefined ? {} : { maxOutputTokens };
  if (typeof effort !== "string") return limits;
  const reasoning = effort as Reasoning;
  if (reasoning === "none" || getModelCapabilities(modelId).supportsAdaptiveThinking) {
    return { ...limits, reasoning: reasoning === "minimal" ? ("low" as const) : reasoning };
  }
  const share = budgetShares[reasoning] ?? 0;
  const budget = Math.max(leastBudget, Math.floor((maxOutputTokens ?? 2 * leastBudget) * share));
  if (maxOutputTokens === undefined) {
    return { thinking: { type: "enabled", budgetTokens: budget } };
  }
  if (maxOutputTokens <= budget) return limits;
  const rest = { maxOutputTokens: maxOutputTokens - budget };
  return { ...rest, thinking: { type: "enabled", budgetTokens: budget } };
}

function unless(usual: number, value: unknown): unknown {
  return value === usual ? undefined : value;
}

function numbers<Name extends string>(values: Record<Name, unknown>): { [Key in Name]?: number } {
  const entries = Object.entries(values).filter(([, value]) => typeof value === "number");
  return Object.fromEntries(entries) as { [Key in Name]?: number };
}

function stopOf(stop: unknown): Pick<LanguageModelV4CallOptions, "stopSequences"> {
  if (typeof stop === "string") return { stopSequences: [stop] };
  return Array.isArray(stop) && stop.length > 0 ? { stopSequences: stop.map(String) } : {};
}

function formatOf(format: unknown): Pick<LanguageModelV4CallOptions, "responseFormat"> {
  if (!isJsonObject(format) || format.type === "text") return {};
  if (format.type === "json_object") {
    return { responseFormat: { type: "json", schema: { type: "object" } } };
  }
  const { json_schema: given } = format;
  if (format.type !== "json_schema" || !isJsonObject(given)) {
    throw notSupported("response_format.type", 'use "json_schema", "json_object" or "text"');
  }
  if (!isJsonObject(given.schema)) {
    throw invalidParam("response_format.json_schema.schema", "must be an object");
  }
  return {
    responseFormat: {
      type: "json",
      schema: given.schema,
      ...(typeof given.name === "string" ? { name: given.name } : {}),
      ...(typeof given.description === "string" ? { description: given.description } : {}),
    },
  };
}

function toolsOf({
  tools,
  tool_choice: choice,
}: JsonObject): Pick<LanguageModelV4CallOptions, "tools" | "toolChoice"> {
  if (!Array.isArray(tools) || tools.length === 0) return {};
  const translated = tools.map((tool, index) => toolOf(tool as JsonObject, `tools[${index}]`));
  return { tools: translated, toolChoice: choiceOf(choice) };
}

function toolOf(tool: JsonObject, path: string): LanguageModelV4FunctionTool {
  if (tool.type !== "function" || !isJsonObject(tool.function)) {
    throw notSupported(`${path}.type`, 'use "function"');
  }
  const { name, description, parameters, strict } = tool.function;
  return {
    type: "function",
    name: String(name),
    inputSchema: isJsonObject(parameters) ? parameters : { type: "object", properties: {} },
    ...(typeof description === "string" ? { description } : {}),
    ...(strict === true ? { strict } : {}),
    ...cacheOptions(tool.cache_control),
  };
}

function choiceOf(choice: unknown): NonNullable<LanguageModelV4CallOptions["toolChoice"]> {
  if (choice === "none" || choice === "required") return { type: choice };
  if (!isJsonObject(choice)) return { type: "auto" };
  const { type, function: named } = choice;
  if (type !== "function" || !isJsonObject(named) || typeof named.name !== "string") {
    throw notSupported("tool_choice.type", 'use "function", and name the function');
  }
  return { type: "tool", toolName: named.name };
}
