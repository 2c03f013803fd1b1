import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { type ChatUsage, withToolCalls } from "@tollgate/providers/chat-usage";
import { responsesEventFailure } from "@tollgate/providers/openai/errors";
import {
  chunkOf,
  dataBytes,
  type NamedEvent,
  parseEvent,
  type Said,
  withAlias,
} from "../named-event.ts";
import type { ResponseContext } from "../response-context.ts";
import type { WireEvents } from "../wire.ts";
import { CutResponse } from "./cut-response.ts";
import { reportedToolCalls, toolCallInEvent } from "./tool-calls.ts";
import { responseUsage } from "./usage.ts";
import { eventsOfResponse, wholeResponse } from "./whole-response.ts";

/** The events that say only that the response has started. They wait for the next one. */
const starting: ReadonlySet<string> = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
]);

type Context = Pick<ResponseContext, "alias" | "readUsageBlock">;

/**
 * Reads the events of a provider that speaks the Responses API, and forwards them unchanged except
 * for the model's name. The first events wait for the next ones: if the provider fails there,
 * another slot can take over.
 */
export function readResponseEvents(context: Context): WireEvents {
  const { alias } = context;
  let waiting: Buffer[] = [];
  let last: Buffer | undefined;
  const followed = new CutResponse(alias);
  let isCut = false;

  return {
    read(data) {
      const event = parseEvent(data);
      if (event === undefined) return undefined;
      if (event.type === "error" || event.type === "response.failed")
        throw responsesEventFailure(event);
      return chunkOf(data, event, said(event, context));
    },
    readWhole(value) {
      return eventsOfResponse(wholeResponse(value)).map((event) => {
        return chunkOf(JSON.stringify(event), event, said(event, context));
      });
    },
    deliver({ data, value, isLast }) {
      const type = String(value.type);
      followed.see(value);
      const sent = isJsonObject(value.response) ? withAlias(data, "response", alias) : data;
      const bytes = dataBytes(type, sent);
      if (isLast) last = bytes;
      else waiting.push(bytes);
      if (starting.has(type) || waiting.length === 0) return undefined;
      const all = Buffer.concat(waiting);
      waiting = [];
      return all;
    },
    cut() {
      isCut = true;
      return undefined;
    },
    end(usage) {
      return isCut || last === undefined ? followed.end(responseUsage(usage)) : last;
    },
  };
}

function said(event: NamedEvent, context: Context): Said {
  const { type, delta, item, response } = event;
  if (type === "response.completed" || type === "response.incomplete") {
    const usage = isJsonObject(response) ? usageOfResponse(response, context) : undefined;
    return { finishReason: type, usage, isLast: true };
  }
  if (typeof delta === "string") {
    return { text: delta, isReasoning: type === "response.reasoning_text.delta" };
  }
  const toolCalls = toolCallInEvent(event);
  const isCall = type === "response.output_item.added" && isJsonObject(item);
  return isCall && typeof item.name === "string" ? { text: item.name, toolCalls } : { toolCalls };
}

/** Reads what a complete response reports of the model, and of the tools that the provider runs. */
export function usageOfResponse(
  response: JsonObject,
  { readUsageBlock }: Pick<ResponseContext, "readUsageBlock">,
): ChatUsage | undefined {
  const usage = readUsageBlock(response.usage);
  return usage === undefined ? undefined : withToolCalls(usage, reportedToolCalls(response));
}

/**
 * Returns an item of a complete response as a message of a chat completion. A summary of reasoning is
 * not its text.
 */
export function messageOfItem(item: unknown): JsonObject {
  if (!isJsonObject(item)) return {};
  const { type, name, arguments: call, input, content, summary } = item;
  const texts = [
    name,
    call,
    input,
    ...partsOf(summary),
    ...(type === "reasoning" ? [] : partsOf(content)),
  ];
  const reasoning = type === "reasoning" ? partsOf(content) : [];
  return { content: joined(texts), reasoning_content: joined(reasoning) };
}

function partsOf(content: unknown): unknown[] {
  return objectsIn(content).flatMap(({ text, refusal }) => [text, refusal]);
}

function joined(texts: readonly unknown[]): string {
  return texts.filter((text) => typeof text === "string").join("");
}
