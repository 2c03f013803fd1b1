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
  only,
  orElse,
  type Shape,
} from "../ai-sdk/shape.ts";
import { SkippedBlocks } from "../ai-sdk/skipped-blocks.ts";

/** The package requires counts. These cannot be billed from, as no counts could not. */
const noCounts = { input_tokens: -1, output_tokens: -1 };
const noUsage = { tokens: noCounts };

const counts: Shape = (value) => {
  const read = objectWith({ input_tokens: asCount, output_tokens: asCount })(value);
  return read === undefined ? undefined : { ...noCounts, ...(value as JsonObject), ...read };
};

const usage = orElse(
  objectKept({ billed_units: counts, tokens: orElse(counts, noCounts), cached_tokens: asCount }),
  noUsage,
);

const textPart = objectWith({ text: asText }, ["text"]);
const thinkingPart = objectWith({ thinking: asText }, ["thinking"]);
const part = byType({ text: textPart, thinking: thinkingPart });

/** A message may be one text. */
const textAsParts: Shape = (value) =>
  typeof value === "string" ? [{ type: "text", text: value }] : undefined;

const isFunction = orElse(only("function"), "function");

/** Returns the shape of a call. One without arguments has these. */
function callWith(noArguments: string): Shape {
  const called = objectWith({ name: asText, arguments: orElse(asText, noArguments) }, ["name"]);
  return objectWith({ id: callId, type: isFunction, function: called }, ["function"]);
}

/** An event with a part of a message. */
function ofMessage(shapes: Readonly<Record<string, Shape>>): Shape {
  const message = objectWith(shapes, Object.keys(shapes));
  const delta = objectWith({ message }, ["message"]);
  return objectWith({ index: orElse(asNumber, 0), delta }, ["delta"]);
}

/** The end of a call says nothing, and the package refuses arguments there that the limit has cut. */
const event = byType({
  "message-start": objectWith({ type: asText, id: asText }),
  "content-start": ofMessage({ content: part }),
  "content-delta": ofMessage({ content: eitherOf(thinkingPart, textPart) }),
  "content-end": objectWith({ index: orElse(asNumber, 0) }),
  "tool-call-start": ofMessage({ tool_calls: callWith("") }),
  "tool-call-delta": ofMessage({
    tool_calls: objectWith({ function: objectWith({ arguments: asText }) }),
  }),
  "message-end": objectWith({
    delta: orElse(objectWith({ finish_reason: orElse(asText, "COMPLETE"), usage }), {
      finish_reason: "COMPLETE",
      usage: noUsage,
    }),
  }),
});

/** Returns whether a part of a message is of a type that is read, or of none. */
function isKnownPart({ delta }: JsonObject): boolean {
  const message = isJsonObject(delta) ? delta.message : undefined;
  const content = isJsonObject(message) ? message.content : undefined;
  const type = isJsonObject(content) ? content.type : undefined;
  return typeof type !== "string" || type === "text" || type === "thinking";
}

/** Returns a shape that leaves out what follows in a part which is not read. */
function startEvents(): Shape {
  const skipped = new SkippedBlocks();
  return (value) => {
    const { type, index } = isJsonObject(value) ? value : {};
    const at = Number(index ?? 0);
    if (type === "content-start") skipped.begin(at, isKnownPart(value as JsonObject));
    const isOfPart = type === "content-delta" || type === "content-end";
    return isOfPart && skipped.has(at) ? undefined : event(value);
  };
}

/** https://docs.cohere.com/reference/chat and https://docs.cohere.com/docs/streaming */
export const cohereShape: ResponseShape = {
  answer: objectWith(
    {
      message: orElse(
        objectWith({
          role: orElse(asText, "assistant"),
          content: eitherOf(listWith(part), textAsParts),
          tool_calls: listWith(callWith("{}")),
        }),
        { role: "assistant" },
      ),
      finish_reason: asText,
      usage,
    },
    ["finish_reason"],
  ),
  event,
  startEvents,
  isFinish: ({ type }) => type === "message-end",
};
