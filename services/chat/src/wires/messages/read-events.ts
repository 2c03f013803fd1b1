import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { messagesEventFailure } from "@tollgate/providers/anthropic/errors";
import {
  chunkOf,
  dataBytes,
  eventBytes,
  type NamedEvent,
  parseEvent,
  type Said,
  withAlias,
} from "../named-event.ts";
import type { ResponseContext } from "../response-context.ts";
import type { WireEvents } from "../wire.ts";
import { toolCallInBlock } from "./tool-calls.ts";
import { eventsOfMessage, wholeMessage } from "./whole-message.ts";

type Context = Pick<ResponseContext, "alias" | "readUsageBlock">;

/**
 * Reads the events of Anthropic's API, and forwards them unchanged except for the model's name. The
 * first event waits for the next one: an overload is often reported there, and another slot can
 * then take over.
 */
export function readMessageEvents(context: Context): WireEvents {
  let waiting: Buffer | undefined;
  let last: Buffer | undefined;
  let started: JsonObject = {};
  let openBlock: unknown;
  let isCut = false;

  return {
    read(data) {
      const event = parseEvent(data);
      if (event?.type === "error") throw messagesEventFailure(event);
      return event === undefined ? undefined : chunkOf(data, event, said(event, started, context));
    },
    readWhole(value) {
      return eventsOfMessage(wholeMessage(value)).map((event) => {
        return chunkOf(JSON.stringify(event), event, said(event, {}, context));
      });
    },
    deliver({ data, value }) {
      const { type, index } = value;
      if (type === "message_start") {
        // It says one token of output, whatever follows.
        started = { ...usageIn(value.message), output_tokens: undefined };
        waiting = dataBytes(type, withAlias(data, "message", context.alias));
        return undefined;
      }
      if (type === "content_block_start") openBlock = index;
      if (type === "content_block_stop") openBlock = undefined;
      const bytes = dataBytes(String(type), data);
      if (type === "message_stop") {
        last = bytes;
        return undefined;
      }
      const all = waiting === undefined ? bytes : Buffer.concat([waiting, bytes]);
      waiting = undefined;
      return all;
    },
    cut() {
      isCut = true;
      return undefined;
    },
    end(usage) {
      if (!isCut) return last ?? eventBytes({ type: "message_stop" });
      const reason = { stop_reason: "max_tokens", stop_sequence: null };
      const output = { output_tokens: Number(usage.completionTokens) };
      const stop = { type: "content_block_stop", index: openBlock };
      return Buffer.concat([
        ...(openBlock === undefined ? [] : [eventBytes(stop)]),
        eventBytes({ type: "message_delta", delta: reason, usage: output }),
        eventBytes({ type: "message_stop" }),
      ]);
    },
  };
}

/** `started` is the usage in the stream's first event, which the last one completes. */
function said(event: NamedEvent, started: JsonObject, context: Context): Said {
  switch (event.type) {
    case "message_start":
      return {
        usage: context.readUsageBlock({ ...usageIn(event.message), output_tokens: undefined }),
      };
    case "message_stop":
      return { isLast: true };
    case "message_delta": {
      const usage = context.readUsageBlock({ ...started, ...usageIn(event) });
      return { finishReason: finishReasonOf(event), usage };
    }
    case "content_block_start":
      return {
        text: textOf(event.content_block),
        toolCalls: toolCallInBlock(event.content_block),
      };
    case "content_block_delta":
      return { text: textOf(event.delta), isReasoning: isThinking(event.delta) };
    default:
      return {};
  }
}

function usageIn(value: unknown): JsonObject {
  const usage = isJsonObject(value) ? value.usage : undefined;
  if (!isJsonObject(usage)) return {};
  // A count that the last event repeats as null is the first event's.
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null));
}

function finishReasonOf({ delta }: NamedEvent): string | undefined {
  const reason = isJsonObject(delta) ? delta.stop_reason : undefined;
  return typeof reason === "string" ? reason : undefined;
}

function isThinking(delta: unknown): boolean {
  return isJsonObject(delta) && delta.type === "thinking_delta";
}

/** Returns a block of a complete message as a message of a chat completion. */
export function messageOfBlock(block: unknown): JsonObject {
  if (!isJsonObject(block)) return {};
  if (block.type === "thinking") return { reasoning_content: block.thinking };
  const input = isJsonObject(block.input) ? JSON.stringify(block.input) : "";
  return { content: textOf(block) + input };
}

/** Returns the generated text in a block's start or delta. */
function textOf(value: unknown): string {
  if (!isJsonObject(value)) return "";
  const { text, thinking, partial_json, name } = value;
  const texts = [text, thinking, partial_json, name];
  return texts.map((one) => (typeof one === "string" ? one : "")).join("");
}
