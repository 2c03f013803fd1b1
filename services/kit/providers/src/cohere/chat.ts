import { createCohere } from "@ai-sdk/cohere";
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { JsonObject } from "@tollgate/core/json";
import { commonOptions, numbers, outputLimit, unsignedForm } from "../ai-sdk/call-options.ts";
import { createChatAdapter } from "../ai-sdk/chat.ts";
import type { LanguageModelKind } from "../ai-sdk/kind.ts";
import { budgetShares, type Reasoning } from "../ai-sdk/thinking-budget.ts";
import type { ChatAdapter } from "../chat-adapter.ts";
import { notSupported } from "../not-supported.ts";
import { chatInputs, chatParameters, takesLateInstructions } from "./capabilities.ts";
import { cohereRefusals } from "./errors.ts";
import { cohereShape } from "./response-shape.ts";
import { separatePlans, withToolPlans } from "./tool-plan.ts";

const form = unsignedForm("cohere", { takesLateInstructions, inputs: chatInputs });

/** The largest thinking budget: https://docs.cohere.com/docs/reasoning */
const maxBudget = 31_000;

/** Models that do not think: https://docs.cohere.com/docs/models */
const withoutThinking =
  /^(command($|-r|-light|-nightly|-a-(03|vision|translate))|c4ai-|aya|tiny-aya)/;

/** Chat completions by Cohere's API, version 2: https://docs.cohere.com/reference/chat */
export const cohereKind: LanguageModelKind = {
  chatParameters,
  metadataMembers: new Set(),
  signatures: form.signatures,
  headers: [],
  responses: cohereShape,
  // Of version 1 of its API.
  reasons: { ERROR_TOXIC: "content-filter", ERROR_LIMIT: "length" },
  pathOf: ({ path }) => path,
  createModel,
  callOptions,
  unsupportedMember: () => undefined,
  refusals: cohereRefusals,
  statusOfEvent: () => undefined,
  refusalOf: () => null,
};

export const cohereChat: ChatAdapter = createChatAdapter(cohereKind);

function createModel(modelId: string, fetch: typeof globalThis.fetch): LanguageModelV4 {
  const fetchWithPlans: typeof globalThis.fetch = (url, init) =>
    fetch(url, { ...init, body: withToolPlans(String(init?.body)) });
  const options = { baseURL: "http://provider", apiKey: "unused", fetch: fetchWithPlans };
  return createCohere(options)(modelId);
}

function callOptions(modelId: string, request: JsonObject): LanguageModelV4CallOptions {
  const { prompt, ...common } = commonOptions(request, form);
  refuseUnsaid(request, common);
  refuseRange(request);
  const maxOutputTokens = outputLimit(request);
  const { temperature, top_p: topP, top_k: topK, seed } = request;
  // Zero is the default of both.
  const frequencyPenalty = request.frequency_penalty || undefined;
  const presencePenalty = request.presence_penalty || undefined;
  const effort = withoutThinking.test(modelId) ? undefined : request.reasoning_effort;
  const thinking = thinkingOf(effort, maxOutputTokens);
  return {
    ...common,
    prompt: separatePlans(prompt),
    ...numbers({ maxOutputTokens, temperature, topP, topK, seed }),
    ...numbers({ frequencyPenalty, presencePenalty }),
    ...(thinking === undefined ? {} : { providerOptions: { cohere: { thinking } } }),
  };
}

/** Throws for what the package leaves out without a warning, and for what Cohere refuses together. */
function refuseUnsaid(
  { response_format: format }: JsonObject,
  { tools = [], responseFormat }: Pick<LanguageModelV4CallOptions, "tools" | "responseFormat">,
): void {
  const strict = tools.findIndex((tool) => tool.type === "function" && tool.strict === true);
  if (strict >= 0) throw notSupported(`tools[${strict}].function.strict`);
  if (format === undefined || responseFormat === undefined || tools.length === 0) return;
  throw notSupported("response_format", "leave it out of a request with tools");
}

/** Throws for a number that Cohere does not take. */
function refuseRange(request: JsonObject): void {
  for (const name of ["temperature", "frequency_penalty", "presence_penalty"]) {
    const value = request[name];
    if (typeof value !== "number" || (value >= 0 && value <= 1)) continue;
    throw notSupported(name, "use a value from 0 to 1");
  }
}

type Thinking = { type: "disabled" } | { type: "enabled"; tokenBudget?: number };

/** Returns the thinking for an effort: its budget is a part of the output limit. */
function thinkingOf(effort: unknown, outputLimit: number | undefined): Thinking | undefined {
  if (typeof effort !== "string") return undefined;
  const share = budgetShares[effort as Reasoning];
  if (share === undefined) return { type: "disabled" };
  const tokenBudget = Math.min(maxBudget, Math.floor((outputLimit ?? maxBudget) * share));
  return tokenBudget === 0 ? { type: "disabled" } : { type: "enabled", tokenBudget };
}
