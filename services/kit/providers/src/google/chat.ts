import { createGoogle } from "@ai-sdk/google";
import { GoogleLanguageModel, getGoogleLanguageModelEntry } from "@ai-sdk/google/internal";
import type { LanguageModelV4CallOptions, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { commonOptions, described, numbers, outputLimit } from "../ai-sdk/call-options.ts";
import { createChatAdapter } from "../ai-sdk/chat.ts";
import type { ChatAdapter } from "../ai-sdk/chat-adapter.ts";
import type { LanguageModelKind } from "../ai-sdk/kind.ts";
import { notSupported } from "../ai-sdk/members.ts";
import { imagesOf } from "./images.ts";
import { googleThinking } from "./thinking.ts";

const signatures = {
  provider: "google",
  format: "google-gemini-v1",
  signature: "thoughtSignature",
};

/** Chat completions by Gemini's API: https://ai.google.dev/api/generate-content */
export const googleKind: LanguageModelKind = {
  kind: "google",
  metadataMembers: new Set(),
  signatures,
  headers: [],
  pathOf({ path }, isStream) {
    if (!isStream) return path;
    return `${path.replace(/:generateContent$/, ":streamGenerateContent")}?alt=sse`;
  },
  createModel(modelId, fetch) {
    return createGoogle({ baseURL: "http://provider", apiKey: "unused", fetch })(modelId);
  },
  callOptions,
  async warningsOf(modelId, options, isStreaming) {
    const config = { provider: "google.generative-ai", baseURL: "", generateId: () => "" };
    const request = { modelId, config, options, isStreaming };
    const { warnings } = await GoogleLanguageModel.prepareRequest(request);
    return warnings;
  },
  warnedMembers: {},
  // A call of another provider's model, or of a stored turn, has no signature: Gemini has a value that
  // says so. https://ai.google.dev/gemini-api/docs/thought-signatures
  isHarmless: (warning) =>
    warning.type === "other" && warning.message.includes("skip_thought_signature_validator"),
  statusOfEvent(error) {
    const status = isJsonObject(error) ? error.statusCode : undefined;
    return typeof status === "number" ? status : undefined;
  },
  refusalOf,
};

export const googleChat: ChatAdapter = createChatAdapter(googleKind);

function callOptions(modelId: string, request: JsonObject): LanguageModelV4CallOptions {
  const images = imagesOf(modelId);
  const form = { signatures, images, takesLateInstructions: false, objectSchema: undefined };
  const { responseFormat, ...common } = commonOptions(request, form);
  const maxOutputTokens = outputLimit(request);
  const thinkingConfig = googleThinking(modelId, request.reasoning_effort, maxOutputTokens);
  const { temperature, top_p: topP, top_k: topK, seed } = request;
  const options = {
    ...common,
    ...numbers({ maxOutputTokens, temperature, topP, topK, seed }),
    ...(responseFormat === undefined ? {} : { responseFormat: described(responseFormat) }),
    ...(thinkingConfig === undefined ? {} : { providerOptions: { google: { thinkingConfig } } }),
  };
  refuseFreeJson(modelId, options);
  return options;
}

/**
 * Throws where JSON without a schema is required beside tools: models before Gemini 3 take it without
 * tools only, and later ones where they may choose to call none.
 */
function refuseFreeJson(
  modelId: string,
  { responseFormat, tools, toolChoice }: LanguageModelV4CallOptions,
): void {
  if (responseFormat?.type !== "json" || responseFormat.schema !== undefined) return;
  if (tools === undefined) return;
  const { structuredOutput } = getGoogleLanguageModelEntry(modelId).capabilities.language;
  const isForced = toolChoice?.type === "required" || toolChoice?.type === "tool";
  if (structuredOutput.withFunctionTools && !isForced) return;
  throw notSupported("response_format.type", 'use "json_schema" together with these tools');
}

/** Returns Gemini's message of a response that it stopped. */
function refusalOf(metadata: SharedV4ProviderMetadata | undefined): string | null {
  const message = metadata?.google?.finishMessage;
  return typeof message === "string" ? message : null;
}
