import { AnthropicLanguageModel } from "@ai-sdk/anthropic/internal";
import { GoogleLanguageModel } from "@ai-sdk/google/internal";
import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import { createChatAdapter } from "../ai-sdk/chat.ts";
import type { LanguageModelKind } from "../ai-sdk/kind.ts";
import { anthropicKind, claudeOptions } from "../anthropic/chat.ts";
import { unsupportedMember } from "../anthropic/unsupported.ts";
import type { ChatAdapter } from "../chat-adapter.ts";
import { googleKind, messageOfStop } from "../google/chat.ts";
import { notSupported } from "../not-supported.ts";
import { claudeParameters } from "./capabilities.ts";
import { vertexRefusals } from "./errors.ts";
import { isClaudeOnVertex } from "./families.ts";

/** The name of the package's metadata for Vertex AI. */
const provider = "googleVertex";

/**
 * Gemini by Vertex AI, whose requests differ in what the package does by itself: calls have no ids.
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
 */
export const vertexGeminiKind: LanguageModelKind = {
  ...googleKind,
  signatures: { ...googleKind.signatures, provider },
  createModel: (modelId, fetch) =>
    new GoogleLanguageModel(modelId, {
      ...{ provider: "google.vertex.chat", baseURL: "http://provider", fetch },
      generateId: () => crypto.randomUUID(),
    }),
  refusals: vertexRefusals,
  refusalOf: (metadata) => messageOfStop(metadata?.[provider]),
};

/** https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude */
const anthropicVersion = "vertex-2023-10-16";

/** Claude by Vertex AI: https://docs.claude.com/en/api/claude-on-vertex-ai */
export const vertexClaudeKind: LanguageModelKind = {
  ...anthropicKind,
  chatParameters: claudeParameters,
  metadataMembers: new Set(),
  pathOf: ({ path }, isStream) =>
    isStream ? path.replace(/:rawPredict$/, ":streamRawPredict") : path,
  createModel: (modelId, fetch) =>
    new AnthropicLanguageModel(modelId, {
      ...{ provider: "anthropic.messages", baseURL: "http://provider", fetch },
      transformRequestBody: ({ model: _, ...body }) => ({
        ...body,
        anthropic_version: anthropicVersion,
      }),
      // Vertex AI does not take the members for them.
      ...{ supportsNativeStructuredOutput: false, supportsStrictTools: false },
    }),
  callOptions: claudeOptions({
    images: {
      typeAt(_: URL, param: string): string {
        throw notSupported(param, "send the image in base64");
      },
    },
    fetchesFiles: false,
  }),
  unsupportedMember: (modelId, options) => unsupportedMember(modelId, options, false),
  refusals: vertexRefusals,
};

const gemini = createChatAdapter(vertexGeminiKind);
const claude = createChatAdapter(vertexClaudeKind);

/** Chat completions by Vertex AI. */
export const vertexChat: ChatAdapter = {
  check: (slot, request: JsonObject) => adapterOf(slot).check(slot, request),
  complete: (providers, slot, request, call) =>
    adapterOf(slot).complete(providers, slot, request, call),
  stream: (providers, slot, request, call) =>
    adapterOf(slot).stream(providers, slot, request, call),
};

function adapterOf({ upstreamModel }: Slot): ChatAdapter {
  return isClaudeOnVertex(upstreamModel) ? claude : gemini;
}
