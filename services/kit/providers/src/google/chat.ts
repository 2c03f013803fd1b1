import { createGoogle } from "@ai-sdk/google";
import { getGoogleLanguageModelEntry } from "@ai-sdk/google/internal";
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { commonOptions, described, numbers, outputLimit } from "../ai-sdk/call-options.ts";
import { createChatAdapter } from "../ai-sdk/chat.ts";
import { withoutEmptyTexts } from "../ai-sdk/empty-texts.ts";
import type { LanguageModelKind } from "../ai-sdk/kind.ts";
import type { ChatAdapter } from "../chat-adapter.ts";
import { notSupported } from "../not-supported.ts";
import { chatInputs, chatParameters, takesLateInstructions } from "./capabilities.ts";
import { googleRefusals, googleStatusOfEvent } from "./errors.ts";
import { imagesOf, isResultFile } from "./images.ts";
import { googleShape } from "./response-shape.ts";
import { googleThinking } from "./thinking.ts";

const signatures = {
  provider: "google",
  format: "google-gemini-v1",
  signature: "thoughtSignature",
};

/** Chat completions by Gemini's API: https://ai.google.dev/api/generate-content */
export const googleKind: LanguageModelKind = {
  chatParameters,
  metadataMembers: new Set(),
  signatures,
  headers: [],
  responses: googleShape,
  pathOf({ path }, isStream) {
    if (!isStream) return path;
    return `${path.replace(/:generateContent$/, ":streamGenerateContent")}?alt=sse`;
  },
  createModel(modelId, fetch) {
    return createGoogle({ baseURL: "http://provider", apiKey: "unused", fetch })(modelId);
  },
  callOptions,
  unsupportedMember: () => undefined,
  reasons: {
    // The model has ended, and what it generated is billed.
    MALFORMED_FUNCTION_CALL: "stop",
    IMAGE_PROHIBITED_CONTENT: "content-filter",
    IMAGE_RECITATION: "content-filter",
    LANGUAGE: "content-filter",
    MODEL_ARMOR: "content-filter",
  },
  usageOfEvent: (event) =>
    isJsonObject(event) && isJsonObject(event.usageMetadata) ? event.usageMetadata : undefined,
  refusals: googleRefusals,
  statusOfEvent: googleStatusOfEvent,
  refusalOf: (metadata) => messageOfStop(metadata?.google),
};

export const googleChat: ChatAdapter = createChatAdapter(googleKind);

function callOptions(modelId: string, request: JsonObject): LanguageModelV4CallOptions {
  const images = imagesOf(modelId);
  const { mixed: isGemini3 } = getGoogleLanguageModelEntry(modelId).capabilities.language.tools;
  const form = {
    signatures,
    images,
    inputs: chatInputs,
    takesLateInstructions,
    takesInResult: (file: LanguageModelV4FilePart) => isGemini3 && isResultFile(file),
    objectSchema: undefined,
  };
  const { prompt, responseFormat, ...common } = commonOptions(request, form);
  const maxOutputTokens = outputLimit(request);
  const thinkingConfig = googleThinking(modelId, request.reasoning_effort, maxOutputTokens);
  const { temperature, top_p: topP, top_k: topK, seed } = request;
  const options = {
    ...common,
    prompt: prompt.map(withoutEmptyTexts),
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

/** Returns Gemini's message of a response that it stopped, in the package's own metadata. */
export function messageOfStop(own: SharedV4ProviderMetadata[string] | undefined): string | null {
  const message = own?.finishMessage;
  return typeof message === "string" ? message : null;
}
