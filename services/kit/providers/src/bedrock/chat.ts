import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { getModelCapabilities } from "@ai-sdk/anthropic/internal";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { withCallIds } from "../ai-sdk/call-ids.ts";
import {
  commonOptions,
  described,
  numbers,
  outputLimit,
  type RequestForm,
} from "../ai-sdk/call-options.ts";
import { createChatAdapter } from "../ai-sdk/chat.ts";
import type { LanguageModelKind } from "../ai-sdk/kind.ts";
import { claudeSignatureFormat } from "../anthropic/signature-format.ts";
import { isUnthoughtLoop } from "../anthropic/thinking.ts";
import type { ChatAdapter } from "../chat-adapter.ts";
import { notSupported } from "../not-supported.ts";
import { bedrockCallId } from "./call-ids.ts";
import { chatInputs, chatParameters, takesLateInstructions } from "./capabilities.ts";
import { withNamedDocuments } from "./documents.ts";
import { bedrockRefusals } from "./errors.ts";
import { isClaude, isNova, readsCacheMarks } from "./families.ts";
import { filterFrames } from "./filter-frames.ts";
import { nativeFormat } from "./native-format.ts";
import { bedrockShape } from "./response-shape.ts";
import { bedrockThinking, type ReasoningConfig } from "./thinking.ts";
import { calledTools, toolFormOf, withToolForm } from "./tool-config.ts";
import { unsupportedMember } from "./unsupported.ts";

const signatures = {
  provider: "amazonBedrock",
  format: claudeSignatureFormat,
  signature: "signature",
  encrypted: "redactedContent",
};

const form = {
  signatures,
  images: {
    dataTypes: new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]),
    typeAt(_: URL, param: string): string {
      throw notSupported(param, "send the image in base64");
    },
  },
  inputs: chatInputs,
  takesLateInstructions,
  objectSchema: { type: "object" as const },
};

/**
 * Chat completions by Amazon Bedrock's Converse API:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export const bedrockKind: LanguageModelKind = {
  chatParameters,
  metadataMembers: new Set(),
  signatures,
  headers: [],
  framing: { mediaType: "application/vnd.amazon.eventstream", filter: filterFrames },
  responses: bedrockShape,
  pathOf: ({ path }, isStream) =>
    isStream ? path.replace(/\/converse$/, "/converse-stream") : path,
  createModel,
  callOptions,
  unsupportedMember,
  reasons: {
    // The model has ended, and what it generated is billed.
    malformed_model_output: "stop",
    malformed_tool_use: "stop",
    model_context_window_exceeded: "length",
    refusal: "content-filter",
  },
  usageOfEvent,
  refusals: bedrockRefusals,
  statusOfEvent: () => undefined,
  refusalOf: () => null,
};

export const bedrockChat: ChatAdapter = createChatAdapter(bedrockKind);

function usageOfEvent(event: unknown): JsonObject | undefined {
  const metadata = isJsonObject(event) ? event.metadata : undefined;
  return isJsonObject(metadata) && isJsonObject(metadata.usage) ? metadata.usage : undefined;
}

/** The provider client signs the requests, so the package gets a key that is not sent. */
function createModel(modelId: string, fetch: typeof globalThis.fetch): LanguageModelV4 {
  const settings = { baseURL: "http://provider", region: "unused", apiKey: "unused" };
  const fetchWithForm: typeof globalThis.fetch = (url, init) =>
    fetch(url, { ...init, body: withToolForm(String(init?.body)) });
  return createAmazonBedrock({ ...settings, fetch: fetchWithForm })(modelId);
}

function callOptions(modelId: string, request: JsonObject): LanguageModelV4CallOptions {
  const { prompt: given, responseFormat, ...common } = commonOptions(request, formOf(modelId));
  const limit = outputLimit(request);
  const isUnthought = isClaude(modelId) && isUnthoughtLoop(given);
  const effort = isUnthought ? undefined : request.reasoning_effort;
  const { limits, config } = bedrockThinking(modelId, effort, limit);
  const outputConfig = nativeFormat(modelId, responseFormat);
  const isTool = responseFormat !== undefined && outputConfig === undefined;
  const messages = withFirstUser(withoutBlanks(given));
  const prompt = withCallIds(withNamedDocuments(messages), bedrockCallId);
  const options = {
    ...common,
    ...limits,
    ...samplingOf(modelId, request),
    prompt,
    ...(isTool ? { responseFormat: described(responseFormat) } : {}),
  };
  refuseForcedTools(modelId, options, config);
  if (request.parallel_tool_calls === false && !isClaude(modelId)) {
    throw notSupported("parallel_tool_calls");
  }
  const tools = toolsFor(options, request.tools);
  const { form: toolForm, ...choice } = toolFormOf(tools, isClaude(modelId));
  const providerOptions = {
    amazonBedrock: {
      ...(isTool ? { structuredOutputMode: "jsonTool" } : {}),
      ...(outputConfig === undefined ? {} : { outputConfig }),
      ...(config === undefined ? {} : { reasoningConfig: config }),
      ...toolForm,
    } as SharedV4ProviderOptions[string],
    anthropic: request.parallel_tool_calls === false ? { disableParallelToolUse: true } : {},
  };
  return { ...withoutUnusedTools({ ...options, ...tools, ...choice }), providerOptions };
}

/**
 * Returns what a request for a model may have. Claude and Nova take images in results:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultContentBlock.html
 */
function formOf(modelId: string): RequestForm {
  const marks = readsCacheMarks(modelId) ? { cacheOptions: cachePoint } : {};
  const takesInResult = () => isClaude(modelId) || isNova(modelId);
  return { ...form, ...marks, takesInResult };
}

function cachePoint({ ttl }: JsonObject): SharedV4ProviderOptions {
  const lifetime = typeof ttl === "string" ? { ttl } : {};
  return { amazonBedrock: { cachePoint: { type: "default", ...lifetime } } };
}

/**
 * Returns the tools of a request. Where it has none, or none may be called, they are those of its calls:
 * Converse refuses these without tools, and knows no choice of none.
 */
function toolsFor(
  { prompt, tools, toolChoice, responseFormat }: LanguageModelV4CallOptions,
  given: unknown,
): LanguageModelV4CallOptions {
  const isOffered = Array.isArray(given) && given.length > 0 && toolChoice?.type !== "none";
  const called = isOffered || responseFormat !== undefined ? [] : calledTools(prompt);
  if (called.length > 0) {
    const named = new Map(tools?.map((tool) => [tool.name, tool]));
    const known = called.map((tool) => named.get(tool.name) ?? tool);
    return { prompt, tools: known, toolChoice: { type: "auto" } };
  }
  return {
    prompt,
    ...(tools === undefined ? {} : { tools }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
  };
}

/** Claude's own default of both is 1, and it takes one of them. */
function samplingOf(modelId: string, { temperature, top_p: topP }: JsonObject) {
  if (!isClaude(modelId)) return numbers({ temperature, topP });
  const given = numbers({
    temperature: temperature === 1 ? undefined : temperature,
    topP: topP === 1 ? undefined : topP,
  });
  if (given.temperature === undefined || given.topP === undefined) return given;
  throw notSupported("top_p", "use temperature or top_p, not both");
}

/**
 * Returns the messages without blank texts, which Converse refuses, and without those that say nothing
 * else. The package merges messages of one role that then follow one another, which Converse refuses too.
 */
function withoutBlanks(prompt: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  const said = prompt.map(withoutBlankTexts).filter(({ content }) => content.length > 0);
  return said.some(({ role }) => role !== "system") ? said : [...prompt];
}

/** Converse refuses a conversation that does not begin with a turn of the user. */
function withFirstUser(prompt: LanguageModelV4Message[]): LanguageModelV4Message[] {
  const first = prompt.findIndex(({ role }) => role !== "system");
  if (prompt[first]?.role !== "assistant") return prompt;
  return prompt.toSpliced(first, 0, {
    role: "user",
    content: [{ type: "text", text: "(empty)" }],
  });
}

function withoutBlankTexts(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role === "system")
    return { ...message, content: message.content.trim() && message.content };
  if (message.role === "tool") return message;
  const content = message.content.filter((part) => part.type !== "text" || part.text.trim() !== "");
  return { ...message, content } as LanguageModelV4Message;
}

/**
 * Throws where a model would be forced to call two tools, or must not be forced to call one, as Claude
 * while it thinks. A schema is a tool that must be called, where the model has no structured output.
 */
function refuseForcedTools(
  modelId: string,
  { responseFormat, toolChoice }: Pick<LanguageModelV4CallOptions, "responseFormat" | "toolChoice">,
  config: ReasoningConfig | undefined,
): void {
  const isForced = toolChoice?.type === "required" || toolChoice?.type === "tool";
  const isJson = responseFormat?.type === "json";
  if (isForced && (isJson || config !== undefined)) throw notSupported("tool_choice");
  if (!isJson || !isClaude(modelId)) return;
  const isRefused = getModelCapabilities(modelId).rejectsForcedToolUse;
  if (config !== undefined || isRefused) throw notSupported("response_format");
}

/** The tool of a schema must be called, so tools that may not be called are left out beside it. */
function withoutUnusedTools(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { tools, toolChoice, ...rest } = options;
  if (toolChoice?.type !== "none" || rest.responseFormat?.type !== "json") return options;
  return rest;
}
