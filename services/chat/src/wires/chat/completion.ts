import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { openaiFinishReason } from "@tollgate/providers/openai/finish-reason";
import { usageBlockIn } from "@tollgate/providers/openai/usage";
import { SlotFailure } from "@tollgate/upstream/failure";
import {
  refuseReportedError,
  reportedErrorFailure,
  reportsError,
} from "@tollgate/upstream/reported-error";
import type { ResponseContext } from "../response-context.ts";
import { hasSameItems } from "../same-items.ts";
import { ownCallId } from "./call-parts.ts";
import { toolCallText, withTextContent } from "./content.ts";

/** A provider's completion, or a chunk of a streamed one. */
export type WithChoices = JsonObject & { choices: readonly JsonObject[] };

/**
 * Returns whether a value is a completion or a chunk. A value that reports an error is neither. Some
 * providers report one with status 200 beside choices: as `error`, of the response or of a choice,
 * or as the `finish_reason` "error".
 */
export function hasChoices(value: unknown): value is WithChoices {
  if (!isJsonObject(value) || reportsError(value) || !Array.isArray(value.choices)) return false;
  return value.choices.every(
    (choice) => isJsonObject(choice) && !reportsError(choice) && choice.finish_reason !== "error",
  );
}

/**
 * Reads a provider's complete response, and returns it as OpenAI writes it: see `CallPartsReader` for what
 * providers do their own way. Throws a SlotFailure for a response that reports an error, for any other
 * value, and for a response without a finish and without output.
 */
export function completionOfProvider(
  value: JsonObject,
  { id, kind }: Pick<ResponseContext, "id" | "kind">,
): WithChoices {
  refuseReportedError(value, kind);
  if (!Array.isArray(value.choices)) {
    // Some providers, and proxies before them, report an error so with status 200.
    if (kind.refusalMessage(value) !== undefined) throw reportedErrorFailure(value, kind);
    throw notCompletion();
  }
  if (isEmptyCompletion(value)) throw emptyResponse();
  const listed: readonly unknown[] = value.choices;
  const choices = objectsIn(listed).map((choice, at) => {
    if (reportsError(choice) || openaiFinishReason(choice.finish_reason) === "error") {
      throw reportedErrorFailure({ error: choice.error || {} }, kind);
    }
    return finishedChoice(choice, at, id);
  });
  const isSame = hasSameItems(choices, listed);
  const usage = usageBlockIn(value);
  if (usage === undefined || usage === value.usage) {
    return isSame ? (value as WithChoices) : { ...value, choices };
  }
  return { ...value, choices, usage };
}

/** Returns the failure of a response that is no chat completion. */
export function notCompletion(): SlotFailure {
  return new SlotFailure("rejected", "the provider's response is not a chat completion");
}

/** Returns the failure of a response without a finish and without output. */
export function emptyResponse(): SlotFailure {
  return new SlotFailure("rejected", "the provider's response is empty");
}

/** Returns whether no choice of a completion has a finish or output: another slot is attempted then. */
export function isEmptyCompletion({ choices }: JsonObject): boolean {
  if (!Array.isArray(choices)) return false;
  return objectsIn(choices).every(
    (choice) =>
      openaiFinishReason(choice.finish_reason) === undefined &&
      !hasGenerated(choice.message ?? choice.delta),
  );
}

/** The members of a message in which providers write what was generated. */
const generatedMembers = [
  "content",
  "refusal",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "tool_calls",
  "function_call",
  "audio",
  "images",
] as const;

function hasGenerated(message: unknown): boolean {
  return isJsonObject(message) && generatedMembers.some((name) => hasOutput(message[name]));
}

/** The members of messages and their parts that are output in none. */
const silentMembers: ReadonlySet<string> = new Set(["id", "index", "role", "status", "type"]);

/** Returns whether a generated message, or a part of one, has anything that was generated. */
export function hasOutput(value: unknown): boolean {
  if (typeof value === "string") return value !== "";
  if (Array.isArray(value)) return value.some(hasOutput);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([name, member]) => !silentMembers.has(name) && hasOutput(member),
  );
}

/** Returns the same choice where it is as OpenAI writes it. */
function finishedChoice(choice: JsonObject, at: number, responseId: string): JsonObject {
  const written = isJsonObject(choice.message) ? choice.message : choice.delta;
  const message = withCalls(isJsonObject(written) ? withRole(written) : noMessage, (call) =>
    ownCallId(responseId, at, call),
  );
  const hasCalls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
  const reason = openaiFinishReason(choice.finish_reason) ?? (hasCalls ? "tool_calls" : "stop");
  const index = typeof choice.index === "number" ? choice.index : at;
  const isSame = index === choice.index && message === choice.message;
  if (isSame && reason === choice.finish_reason && choice.usage === undefined) return choice;
  const { usage: _, delta: __, ...rest } = choice;
  return { ...rest, index, message, finish_reason: reason };
}

const noMessage: JsonObject = { role: "assistant", content: null };

function withRole(message: JsonObject): JsonObject {
  const written = withTextContent(message);
  return typeof written.role === "string"
    ? written
    : { ...noMessage, ...written, role: "assistant" };
}

function withCalls(message: JsonObject, idOf: (call: number) => string): JsonObject {
  const { tool_calls: listed } = message;
  if (listed === undefined || listed === null) return message;
  const parts = Array.isArray(listed) ? (listed as readonly unknown[]) : [listed];
  const ids = new Set<unknown>([""]);
  const calls = objectsIn(parts).flatMap((call, at) => {
    if (toolCallText(call).name === "") return [];
    const id = typeof call.id === "string" && !ids.has(call.id) ? call.id : idOf(at);
    ids.add(id);
    return [wholeCall(call, id)];
  });
  return parts === listed && hasSameItems(calls, parts)
    ? message
    : { ...message, tool_calls: calls };
}

/** Returns the same call where it is as OpenAI writes it. */
function wholeCall(call: JsonObject, id: string): JsonObject {
  const { kind, text } = toolCallText(call);
  const body = isJsonObject(call[kind]) ? call[kind] : {};
  const member = kind === "custom" ? "input" : "arguments";
  if (call.id === id && call.type === kind && typeof body[member] === "string") return call;
  const written = text === "" && kind === "function" ? "{}" : text;
  return { ...call, id, type: kind, [kind]: { ...body, [member]: written } };
}
