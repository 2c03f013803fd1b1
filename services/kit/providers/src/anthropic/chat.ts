import { createAnthropic } from "@ai-sdk/anthropic";
import type {
  LanguageModelV4CallOptions,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { withCallIds } from "../ai-sdk/call-ids.ts";
import { commonOptions, numbers, outputLimit, type RequestForm } from "../ai-sdk/call-options.ts";
import { createChatAdapter } from "../ai-sdk/chat.ts";
import { withoutEmptyTexts } from "../ai-sdk/empty-texts.ts";
import type { LanguageModelKind } from "../ai-sdk/kind.ts";
import type { ChatAdapter } from "../chat-adapter.ts";
import { anthropicCallId } from "./call-ids.ts";
import { chatInputs, chatParameters, takesLateInstructions } from "./capabilities.ts";
import { anthropicRefusals, messagesStatusOf } from "./errors.ts";
import { anthropicShape } from "./response-shape.ts";
import { claudeSignatureFormat } from "./signature-format.ts";
import { anthropicThinking, isUnthoughtLoop } from "./thinking.ts";
import { unsupportedMember } from "./unsupported.ts";

const signatures = {
  provider: "anthropic",
  format: claudeSignatureFormat,
  signature: "signature",
  encrypted: "redactedData",
};

const anthropicForm: RequestForm = {
  signatures,
  images: { typeAt: () => "image/*" },
  inputs: chatInputs,
  fetchesFiles: true,
  cacheOptions: (mark: JsonObject) =>
    ({ anthropic: { cacheControl: mark } }) as SharedV4ProviderOptions,
  takesLateInstructions,
  takesInResult: () => true,
  objectSchema: { type: "object" as const },
};

/** Chat completions by Anthropic's Messages API. */
export const anthropicKind: LanguageModelKind = {
  chatParameters,
  metadataMembers: new Set(["user_id"]),
  signatures,
  headers: ["anthropic-beta"],
  responses: anthropicShape,
  pathOf: ({ path }) => path,
  createModel(modelId, fetch) {
    return createAnthropic({ baseURL: "http://provider", apiKey: "unused", fetch })(modelId);
  },
  callOptions: claudeOptions({}),
  unsupportedMember: (modelId, options) => unsupportedMember(modelId, options, true),
  usageOfEvent,
  refusals: anthropicRefusals,
  statusOfEvent: messagesStatusOf,
  refusalOf,
};

export const anthropicChat: ChatAdapter = createChatAdapter(anthropicKind);

/** Returns how requests are translated for Claude, on a platform whose requests have another form in part. */
export function claudeOptions(
  own: Partial<RequestForm>,
): (modelId: string, request: JsonObject) => LanguageModelV4CallOptions {
  return (modelId, request) => callOptions({ ...anthropicForm, ...own }, modelId, request);
}

function callOptions(
  form: RequestForm,
  modelId: string,
  request: JsonObject,
): LanguageModelV4CallOptions {
  const anthropic: Record<string, unknown> = {};
  const userId = isJsonObject(request.metadata) ? request.metadata.user_id : undefined;
  const user = userId ?? request.user ?? undefined;
  if (user !== undefined) anthropic.metadata = { userId: String(user) };
  if (request.parallel_tool_calls === false) anthropic.disableParallelToolUse = true;
  const limit = outputLimit(request);
  const { prompt, ...common } = commonOptions(request, form);
  const thought = anthropicThinking(modelId, request.reasoning_effort, limit);
  // A budget is refused while a turn goes on that has called tools without thinking.
  const { thinking, ...limits } =
    thought.thinking !== undefined && isUnthoughtLoop(prompt)
      ? anthropicThinking(modelId, undefined, limit)
      : thought;
  if (thinking !== undefined) anthropic.thinking = thinking;
  return {
    ...common,
    prompt: withCallIds(prompt.map(withoutEmptyTexts), anthropicCallId),
    ...limits,
    // Both are Anthropic's own default, which it refuses beside thinking.
    ...numbers({ temperature: unless(1, request.temperature), topP: unless(1, request.top_p) }),
    ...numbers({ topK: request.top_k }),
    providerOptions: { anthropic } as SharedV4ProviderOptions,
  };
}

/** The first event of a message reports its prompt. What it says of the output is a placeholder. */
function usageOfEvent(event: unknown): JsonObject | undefined {
  if (!isJsonObject(event) || event.type !== "message_start") return undefined;
  const usage = isJsonObject(event.message) ? event.message.usage : undefined;
  return isJsonObject(usage) ? { ...usage, output_tokens: undefined } : undefined;
}

function unless(usual: number, value: unknown): unknown {
  return value === usual ? undefined : value;
}

/** Returns Anthropic's explanation of a refusal. */
function refusalOf(metadata: SharedV4ProviderMetadata | undefined): string | null {
  const details = metadata?.anthropic?.stopDetails;
  if (!isJsonObject(details) || details.type !== "refusal") return null;
  return typeof details.explanation === "string" ? details.explanation : null;
}
