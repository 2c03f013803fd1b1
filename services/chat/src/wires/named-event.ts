import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { replaceInMember } from "@tollgate/core/json-members";
import { type Chunk, parseData } from "./chunk.ts";

/** An event of a wire whose events have their own names in their data. */
export type NamedEvent = JsonObject & { type: string };

/** Returns a server-sent event. */
export function eventBytes(event: NamedEvent): Buffer {
  return dataBytes(event.type, JSON.stringify(event));
}

/** Returns a server-sent event with this data, which must have no line breaks. */
export function dataBytes(type: string, data: string): Buffer {
  return Buffer.from(`event: ${type}\ndata: ${data}\n\n`);
}

/** Returns the data of an event with our alias as the model of the object in its member `name`. */
export function withAlias(data: string, name: string, alias: string): string {
  const values = { model: JSON.stringify(alias) };
  return replaceInMember(Buffer.from(data), name, values).toString("utf8");
}

/** Returns the event in an event's data; undefined for a heartbeat. Throws what `parseData` throws. */
export function parseEvent(data: string): NamedEvent | undefined {
  const value = parseData(data);
  return isJsonObject(value) && typeof value.type === "string" ? (value as NamedEvent) : undefined;
}

/** What an event says. */
export interface Said {
  /** The text that was generated: of the response, of thinking or of a tool's arguments. */
  text?: string;
  /** Whether it is the text of reasoning. */
  isReasoning?: boolean;
  finishReason?: string | undefined;
  usage?: Chunk["usage"];
  toolCalls?: Chunk["toolCalls"];
  isLast?: boolean;
}

/** Returns an event with what it says as a chunk, for metering. */
export function chunkOf(
  data: string,
  value: JsonObject,
  { text, isReasoning = false, finishReason, usage, toolCalls, isLast = false }: Said,
): Chunk {
  const isSilent = text === undefined && finishReason === undefined;
  const delta = isReasoning ? { reasoning_content: text } : { content: text };
  const choice = { index: 0, delta, finish_reason: finishReason };
  return { data, value, usage, choices: isSilent ? [] : [choice], toolCalls, isLast };
}
