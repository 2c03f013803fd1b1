import type { Model, Slot } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { vendorChatOf } from "@tollgate/providers/vendor-of";
import { endUserOf } from "../end-user.ts";
import { placeInstructions } from "../late-instructions.ts";
import { inputsOf } from "../media-parts.ts";
import { isUsualTier, notTranslated, refuseOthers, requireName } from "../not-translated.ts";
import { withAutomaticMark } from "./automatic-mark.ts";
import { messagesOfPrompt } from "./prompt.ts";

/**
 * Returns a request of Anthropic's API as one for chat completions, without model, output limit and
 * `stream`. Throws `invalid_param` for what chat completions cannot express.
 *
 * Left out where the provider or the model has no place for it, as `docs/agents.md` lists: the marks of
 * the prompt cache, as other providers cache without them, the switch of thinking, the limit to one call
 * at a time, and the id of the end user.
 */
export function chatFromMessages(
  request: JsonObject,
  slot: Slot,
  model: Pick<Model, "inputs" | "vision">,
): JsonObject {
  const {
    model: _model,
    max_tokens,
    stream: _stream,
    messages: _messages,
    system: _system,
    stop_sequences,
    temperature,
    top_p,
    top_k,
    tools,
    tool_choice,
    thinking,
    output_config,
    output_format,
    metadata,
    service_tier,
    speed,
    context_management,
    cache_control,
    ...others
  } = request;
  refuseOthers(others, "");
  refuseEdits(context_management);
  if (!isUsualTier(service_tier)) throw notTranslated("service_tier");
  if ((speed ?? "standard") !== "standard") throw notTranslated("speed");
  const { chatParameters } = slot.provider.kind;
  const vendor = vendorChatOf(slot);
  const keepsCacheMarks = vendor.keepsCacheMarks(slot.upstreamModel);
  const inputs = inputsOf(slot, model);
  const translation = { keepsCacheMarks, inputs, takesImages: model.vision };
  const messages = messagesOfPrompt(request, translation);
  const marked = keepsCacheMarks ? withAutomaticMark(messages, cache_control) : messages;
  const chat: JsonObject = {
    messages: placeInstructions(marked, slot),
    stop: stop_sequences,
    temperature,
    top_p,
    top_k,
    tools: toolsOf(tools, keepsCacheMarks),
    ...toolChoiceOf(tool_choice, vendor.takesSerialCalls(slot.upstreamModel)),
    reasoning_effort: vendor.takesEffort(slot.upstreamModel)
      ? effortOf(thinking, output_config, max_tokens)
      : undefined,
    response_format: formatOf(output_config, output_format),
    user: chatParameters.has("user") ? userOf(metadata) : undefined,
  };
  for (const [name, value] of Object.entries(chat)) {
    if (value === undefined || value === null) delete chat[name];
  }
  return chat;
}

/** The members of a request that those of a chat completion request are made from. */
const members: ReadonlyMap<string, string> = new Map([
  ["stop", "stop_sequences"],
  ["parallel_tool_calls", "tool_choice.disable_parallel_tool_use"],
  ["reasoning_effort", "thinking"],
  ["response_format", "output_config.format"],
  ["user", "metadata.user_id"],
  ["max_completion_tokens", "max_tokens"],
]);

/** Returns the name of a request's member behind the member of a chat completion request. */
export function messagesMemberOf(chatMember: string): string {
  return members.get(chatMember) ?? chatMember;
}

function toolsOf(tools: unknown, keepsCacheMarks: boolean): JsonObject[] | undefined {
  if (!Array.isArray(tools) || tools.length === 0) return undefined;
  return tools.filter(isJsonObject).map((tool, index) => {
    const path = `tools[${index}]`;
    const { type, name, description, input_schema, strict, ...rest } = tool;
    // All tools are in the prompt of a chat completion.
    const { cache_control, eager_input_streaming: _eager, defer_loading: _late, ...others } = rest;
    if ((type ?? "custom") !== "custom") throw notTranslated(`${path}.type`);
    refuseOthers(others, path);
    requireName(tool, path);
    const isMarked = keepsCacheMarks && isJsonObject(cache_control);
    return {
      type: "function",
      function: {
        name,
        ...(description === undefined ? {} : { description }),
        parameters: input_schema,
        ...(typeof strict === "boolean" ? { strict } : {}),
      },
      ...(isMarked ? { cache_control } : {}),
    };
  });
}

function toolChoiceOf(choice: unknown, takesSerialCalls: boolean): JsonObject {
  if (!isJsonObject(choice)) return {};
  const { type, name, disable_parallel_tool_use, ...others } = choice;
  refuseOthers(others, "tool_choice");
  const isSerial = takesSerialCalls && disable_parallel_tool_use === true;
  const parallel = isSerial ? { parallel_tool_calls: false } : {};
  if (type === "any") return { tool_choice: "required", ...parallel };
  if (type === "tool")
    return { tool_choice: { type: "function", function: { name } }, ...parallel };
  return { tool_choice: type, ...parallel };
}

/** Edits that keep all thinking change nothing. */
function refuseEdits(management: unknown): void {
  if (!isJsonObject(management)) return;
  const { edits, ...others } = management;
  refuseOthers(others, "context_management");
  const index = objectsIn(edits).findIndex(({ keep }) => keep !== "all");
  if (index >= 0) throw notTranslated(`context_management.edits[${index}]`);
}

/** The share of the output limit up to which a thinking budget is each effort. */
const lowShare = 0.3;
const mediumShare = 0.65;

/**
 * Returns the effort of a request. A budget is the effort that providers with budgets of their own
 * give about the same share of the output limit. Without an effort, adaptive thinking is Anthropic's
 * own default.
 */
function effortOf(thinking: unknown, config: unknown, maxTokens: unknown): unknown {
  const effort = isJsonObject(config) ? (config.effort ?? undefined) : undefined;
  if (!isJsonObject(thinking) || thinking.type === "disabled") return effort;
  if (thinking.type === "adaptive") return effort ?? "high";
  if (thinking.type !== "enabled") throw notTranslated("thinking.type");
  if (effort !== undefined) return effort;
  const share = Number(thinking.budget_tokens) / Number(maxTokens);
  if (share <= lowShare) return "low";
  return share <= mediumShare ? "medium" : "high";
}

function formatOf(config: unknown, format: unknown): JsonObject | undefined {
  if (isJsonObject(config)) {
    const { effort: _effort, format: _format, ...others } = config;
    refuseOthers(others, "output_config");
  }
  const wanted = (isJsonObject(config) ? config.format : undefined) ?? format;
  if (!isJsonObject(wanted)) return undefined;
  if (wanted.type !== "json_schema") throw notTranslated("output_config.format.type");
  const { schema } = wanted;
  return { type: "json_schema", json_schema: { name: "response", schema, strict: true } };
}

function userOf(metadata: unknown): string | undefined {
  if (!isJsonObject(metadata)) return undefined;
  const { user_id, ...others } = metadata;
  refuseOthers(others, "metadata");
  return endUserOf(user_id);
}
