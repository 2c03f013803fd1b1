import { createMistral } from "@ai-sdk/mistral";
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { withCallIds } from "../ai-sdk/call-ids.ts";
import { commonOptions, numbers, outputLimit, unsignedForm } from "../ai-sdk/call-options.ts";
import { createChatAdapter } from "../ai-sdk/chat.ts";
import type { LanguageModelKind } from "../ai-sdk/kind.ts";
import type { Reasoning } from "../ai-sdk/thinking-budget.ts";
import type { ChatAdapter } from "../chat-adapter.ts";
import { notSupported } from "../not-supported.ts";
import { withAnswers } from "./answered-results.ts";
import { mistralCallId } from "./call-ids.ts";
import { chatInputs, chatParameters, takesLateInstructions } from "./capabilities.ts";
import { mistralRefusals, mistralStatusOfEvent } from "./errors.ts";
import { mistralShape } from "./response-shape.ts";
import { thinks, unsupportedMember } from "./thinking.ts";

const form = {
  ...unsignedForm("mistral", { takesLateInstructions, inputs: chatInputs }),
  fetchesFiles: true,
};

/** https://docs.mistral.ai/api/endpoint/chat */
const maxTemperature = 1.5;

/** Chat completions by Mistral's API: https://docs.mistral.ai/api/endpoint/chat */
export const mistralKind: LanguageModelKind = {
  chatParameters,
  metadataMembers: new Set(),
  takesOtherMembers: true,
  signatures: form.signatures,
  headers: [],
  responses: mistralShape,
  pathOf: ({ path }) => path,
  createModel,
  callOptions,
  unsupportedMember,
  refusals: mistralRefusals,
  statusOfEvent: mistralStatusOfEvent,
  refusalOf: () => null,
};

export const mistralChat: ChatAdapter = createChatAdapter(mistralKind);

function createModel(modelId: string, fetch: typeof globalThis.fetch): LanguageModelV4 {
  return createMistral({ baseURL: "http://provider", apiKey: "unused", fetch })(modelId);
}

function callOptions(modelId: string, request: JsonObject): LanguageModelV4CallOptions {
  const { temperature, top_p: topP, seed, reasoning_effort: effort } = request;
  if (typeof temperature === "number" && temperature > maxTemperature) {
    throw notSupported("temperature", `use a value up to ${maxTemperature}`);
  }
  const { prompt, ...common } = commonOptions(request, form);
  // Zero is the default of both.
  const frequencyPenalty = request.frequency_penalty || undefined;
  const presencePenalty = request.presence_penalty || undefined;
  const maxOutputTokens = outputLimit(request);
  return {
    ...common,
    prompt: withCallIds(withAnswers(prompt), mistralCallId),
    ...numbers({ maxOutputTokens, temperature, topP, seed, frequencyPenalty, presencePenalty }),
    ...(typeof effort === "string" && thinks(modelId) ? { reasoning: effort as Reasoning } : {}),
    providerOptions: { mistral: ownOptions(request) },
  };
}

function ownOptions({ parallel_tool_calls: parallel, response_format: format }: JsonObject) {
  const schema = isJsonObject(format) && isJsonObject(format.json_schema) ? format.json_schema : {};
  return {
    ...(parallel === false ? { parallelToolCalls: false } : {}),
    ...(schema.strict === true ? { strictJsonSchema: true } : {}),
  };
}
