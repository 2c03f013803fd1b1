import type { Model, Slot } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { vendorChatOf } from "@tollgate/providers/vendor-of";
import { endUserOf } from "../end-user.ts";
import { placeInstructions } from "../late-instructions.ts";
import { inputsOf } from "../media-parts.ts";
import { isUsualTier, notTranslated, refuseOthers } from "../not-translated.ts";
import { messagesOfInput } from "./input.ts";
import { functionsOf, toolChoiceOf } from "./tools.ts";

/**
 * Returns a request of the Responses API as one for chat completions, without model, output limit
 * and `stream`. Throws `invalid_param` for what chat completions cannot express.
 *
 * Left out, as `docs/agents.md` lists: `prompt_cache_key` where the model does not take it, the ids of
 * the end user where the provider does not, the effort and the limit to one call at a time where the
 * model has none, and what a client says about itself.
 */
export function chatFromResponses(
  request: JsonObject,
  slot: Slot,
  model: Pick<Model, "passes" | "inputs">,
): JsonObject {
  const { passes } = model;
  const {
    model: _model,
    stream: _stream,
    stream_options: _options,
    store: _store,
    background: _background,
    max_output_tokens: _limit,
    input: _input,
    instructions: _instructions,
    metadata: _metadata,
    client_metadata: _client,
    prompt_cache_key,
    prompt_cache_retention: _retention,
    include,
    temperature,
    top_p,
    tools: _tools,
    tool_choice,
    parallel_tool_calls,
    reasoning,
    text,
    truncation,
    service_tier,
    user,
    safety_identifier,
    top_logprobs,
    ...others
  } = request;
  refuseOthers(others, "");
  refuseInclude(include);
  if ((truncation ?? "disabled") !== "disabled") throw notTranslated("truncation");
  if (!isUsualTier(service_tier)) throw notTranslated("service_tier");
  if ((top_logprobs ?? 0) !== 0) throw notTranslated("top_logprobs");
  const functions = functionsOf(request);
  const takesUser = slot.provider.kind.chatParameters.has("user");
  const chat: JsonObject = {
    messages: placeInstructions(messagesOfInput(request, inputsOf(slot, model)), slot),
    temperature,
    top_p,
    tools: functions,
    ...(functions === undefined ? {} : choiceOf(tool_choice, parallel_tool_calls, slot)),
    reasoning_effort: effortOf(reasoning, slot),
    response_format: formatOf(text),
    verbosity: verbosityOf(text, passes),
    prompt_cache_key: passes.has("prompt_cache_key") ? prompt_cache_key : undefined,
    user: takesUser ? endUserOf(safety_identifier ?? user) : undefined,
  };
  for (const [name, value] of Object.entries(chat)) {
    if (value === undefined || value === null) delete chat[name];
  }
  return chat;
}

/** The members of a request that those of a chat completion request are made from. */
const members: ReadonlyMap<string, string> = new Map([
  ["messages", "input"],
  ["reasoning_effort", "reasoning.effort"],
  ["response_format", "text.format"],
  ["max_completion_tokens", "max_output_tokens"],
]);

/** Returns the name of a request's member behind the member of a chat completion request. */
export function responsesMemberOf(chatMember: string): string {
  return members.get(chatMember) ?? chatMember;
}

/** The encrypted reasoning is always part of a response. */
function refuseInclude(include: unknown): void {
  if (!Array.isArray(include)) return;
  const index = include.findIndex((one) => one !== "reasoning.encrypted_content");
  if (index >= 0) throw notTranslated(`include[${index}]`);
}

function effortOf(reasoning: unknown, slot: Slot): unknown {
  const isSent = isJsonObject(reasoning) && vendorChatOf(slot).takesEffort(slot.upstreamModel);
  return isSent ? reasoning.effort : undefined;
}

/** Parallel calls are OpenAI's default, which not every provider can be sent. */
function choiceOf(choice: unknown, isParallel: unknown, slot: Slot): JsonObject {
  const chosen = toolChoiceOf(choice);
  const isSerial = isParallel === false && vendorChatOf(slot).takesSerialCalls(slot.upstreamModel);
  return {
    ...(chosen === undefined || chosen === "auto" ? {} : { tool_choice: chosen }),
    ...(isSerial ? { parallel_tool_calls: false } : {}),
  };
}

function formatOf(text: unknown): JsonObject | undefined {
  if (!isJsonObject(text)) return undefined;
  const { format, verbosity: _verbosity, ...others } = text;
  refuseOthers(others, "text");
  if (!isJsonObject(format) || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json_object" };
  if (format.type !== "json_schema") throw notTranslated("text.format.type");
  const { type, ...schema } = format;
  return { type, json_schema: schema };
}

function verbosityOf(text: unknown, passes: ReadonlySet<string>): unknown {
  const verbosity = isJsonObject(text) ? (text.verbosity ?? undefined) : undefined;
  if (passes.has("verbosity")) return verbosity;
  // Codex asks for less than usual of models that it knows by name.
  if (verbosity === undefined || verbosity === "medium" || verbosity === "low") return undefined;
  throw notTranslated("text.verbosity");
}
