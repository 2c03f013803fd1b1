import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { getModelCapabilities } from "@ai-sdk/anthropic/internal";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { commonOptions, described, numbers, outputLimit } from "../ai-sdk/call-options.ts";
import { createChatAdapter } from "../ai-sdk/chat.ts";
import type { LanguageModelKind } from "../ai-sdk/kind.ts";
import { claudeSignatureFormat } from "../anthropic/signature-format.ts";
import type { ChatAdapter } from "../chat-adapter.ts";
import { notSupported } from "../not-supported.ts";
import { chatInputs, chatParameters, takesLateInstructions } from "./capabilities.ts";
import { withNamedDocuments } from "./documents.ts";
import { bedrockRefusals } from "./errors.ts";
import { filterFrames } from "./filter-frames.ts";
import { bedrockShape } from "./response-shape.ts";
import { bedrockThinking, isClaude, type ReasoningConfig } from "./thinking.ts";
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
  cacheOptions: ({ ttl }: JsonObject): SharedV4ProviderOptions => {
    const lifetime = typeof ttl === "string" ? { ttl } : {};
    return { amazonBedrock: { cachePoint: { type: "default", ...lifetime } } };
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
  return createAmazonBedrock({ ...settings, fetch })(modelId);
}

function callOptions(modelId: string, request: JsonObject): LanguageModelV4CallOptions {
  refuseMarkedTools(request.tools);
  const { prompt, responseFormat, ...common } = commonOptions(request, form);
  const limit = outputLimit(request);
  const { limits, config } = bedrockThinking(modelId, request.reasoning_effort, limit);
  const options = {
    ...common,
    ...limits,
    ...samplingOf(modelId, request),
    prompt: withNamedDocuments(prompt.map(withoutBlankTexts)),
    ...(responseFormat === undefined ? {} : { responseFormat: described(responseFormat) }),
  };
  refuseForcedTools(modelId, options, config);
  if (request.parallel_tool_calls === false && !isClaude(modelId)) {
    throw notSupported("parallel_tool_calls");
  }
  const providerOptions = {
    amazonBedrock: {
      ...(responseFormat === undefined ? {} : { structuredOutputMode: "jsonTool" }),
      ...(config === undefined ? {} : { reasoningConfig: config }),
    },
    anthropic: request.parallel_tool_calls === false ? { disableParallelToolUse: true } : {},
  };
  return { ...withoutUnusedTools(options), providerOptions };
}

/** Throws for a mark of the prompt cache on a tool, which the package does not send. */
function refuseMarkedTools(tools: unknown): void {
  if (!Array.isArray(tools)) return;
  const marked = tools.findIndex((tool) => isJsonObject(tool) && tool.cache_control != null);
  if (marked >= 0) throw notSupported(`tools[${marked}].cache_control`);
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

/** Bedrock refuses blank texts, which a message with calls may have. */
function withoutBlankTexts(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== "assistant") return message;
  const content = message.content.filter((part) => part.type !== "text" || part.text.trim() !== "");
  return { ...message, content };
}

/**
 * A schema is a tool that must be called. Throws where the request forces another one, or the model may
 * not be forced, as while Claude thinks.
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
