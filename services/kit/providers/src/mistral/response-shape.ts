import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { callId } from "../ai-sdk/call-id.ts";
import type { ResponseShape } from "../ai-sdk/response-shape.ts";
import {
  asCount,
  asNumber,
  asText,
  byType,
  eitherOf,
  listWith,
  objectKept,
  objectWith,
  orElse,
  type Shape,
} from "../ai-sdk/shape.ts";

const promptDetails = objectKept({
  cached_tokens: asCount,
  audio_tokens: asCount,
  messages: listWith((one) => one),
});

const counts = objectKept(
  {
    prompt_tokens: asCount,
    completion_tokens: asCount,
    total_tokens: asCount,
    prompt_audio_seconds: asNumber,
    request_count: asCount,
    service_tier: asText,
    num_cached_tokens: asCount,
    prompt_tokens_details: promptDetails,
    prompt_token_details: promptDetails,
    completion_tokens_details: objectKept({ reasoning_tokens: asCount }),
  },
  ["prompt_tokens", "completion_tokens"],
);

/** A block without the counts of both sides is none. The package requires the total besides. */
const usage: Shape = (value) => {
  const read = counts(value);
  if (!isJsonObject(read)) return undefined;
  return { total_tokens: Number(read.prompt_tokens) + Number(read.completion_tokens), ...read };
};

/** The package requires a block. This one cannot be billed from, as none could not. */
const noUsage = { prompt_tokens: -1, completion_tokens: -1, total_tokens: -1 };

const textPart = objectWith({ text: asText }, ["text"]);

/** Thinking is a list of parts, of which the texts are read, or a text. */
const thinking: Shape = (value) =>
  typeof value === "string"
    ? [{ type: "text", text: value }]
    : listWith(byType({ text: textPart }))(value);

const content = eitherOf(
  asText,
  listWith(byType({ text: textPart, thinking: objectWith({ thinking }, ["thinking"]) })),
);

/** The arguments of a call are a text, or the object itself. */
const argumentsText: Shape = (value) =>
  isJsonObject(value) ? JSON.stringify(value) : asText(value);

const call = objectWith(
  {
    id: callId,
    function: objectWith({ name: asText, arguments: orElse(argumentsText, "{}") }, ["name"]),
  },
  ["function"],
);

const callDeltaWritten = objectWith(
  {
    index: asNumber,
    id: asText,
    function: objectWith({ name: asText, arguments: argumentsText }),
  },
  ["function"],
);

/** A call begins with its name. */
const callDelta: Shape = (value) => {
  const read = callDeltaWritten(value);
  if (!isJsonObject(read) || !isJsonObject(read.function)) return undefined;
  return read.function.name === undefined ? read : { ...read, id: callId(read.id) };
};

/** A choice has a message or a delta, or a reason to finish. */
function choices(name: "message" | "delta", shape: Shape, empty: JsonObject): Shape {
  const shapes = { index: orElse(asNumber, 0), finish_reason: asText };
  return listWith(
    eitherOf(
      objectWith({ ...shapes, [name]: shape }, [name]),
      objectWith({ ...shapes, [name]: orElse(shape, empty) }, ["finish_reason"]),
    ),
  );
}

const head = { id: asText, created: asNumber, model: asText };
const noDelta = { index: 0, delta: {} };

const message = objectWith({ content, tool_calls: listWith(callDelta) });

/** A delta may say nothing. */
const delta: Shape = (value) => (isJsonObject(value) ? (message(value) ?? {}) : undefined);

const chunk = objectWith({ ...head, choices: choices("delta", delta, {}), usage });

/** A chunk of usage may have no choice, which the package requires. */
const event: Shape = (value) => {
  const read = chunk(value) as JsonObject | undefined;
  if (Array.isArray(read?.choices) && read.choices.length > 0) return read;
  return read?.usage === undefined ? undefined : { ...read, choices: [noDelta] };
};

/** https://docs.mistral.ai/api/endpoint/chat */
export const mistralShape: ResponseShape = {
  answer: objectWith(
    {
      ...head,
      object: () => "chat.completion",
      choices: choices(
        "message",
        objectWith({ role: () => "assistant", content, tool_calls: listWith(call) }),
        { role: "assistant" },
      ),
      usage: orElse(usage, noUsage),
    },
    ["choices"],
  ),
  event,
  isFinish: ({ choices: read }) =>
    Array.isArray(read) && isJsonObject(read[0]) && read[0].finish_reason !== undefined,
  done: { choices: [{ ...noDelta, finish_reason: "stop" }] },
};
