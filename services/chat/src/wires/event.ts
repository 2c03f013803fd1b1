import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { readUsage } from "../usage-reader.ts";
import type { Chunk } from "./chat/chunk.ts";
import { hasChoices } from "./chat/provider-response.ts";
import { objectsIn } from "./generated-message.ts";
import { replaceInMember } from "./replace-members.ts";
import type { WireChunk } from "./wire.ts";

/** An event of a wire whose events have their own names in their data. */
export type WireEvent = JsonObject & { type: string };

/** Returns a server-sent event. */
export function eventBytes(event: WireEvent): Buffer {
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

/** The head of chunks: that of other wires' events is in the events. */
const head = { id: "", created: 0, object: "", model: "" };

/** What an event says. */
export interface Said {
  /** The text that was generated: of the response, of thinking or of a tool's arguments. */
  text?: string;
  finishReason?: string | undefined;
  usage?: Chunk["usage"];
  isLast?: boolean;
}

/** Returns an event with what it says as a chunk, for metering. */
export function chunkOf(
  data: string,
  value: JsonObject,
  { text, finishReason, usage, isLast = false }: Said,
): WireChunk {
  const isSilent = text === undefined && finishReason === undefined;
  const choice = { index: 0, delta: { content: text }, finish_reason: finishReason };
  return { ...ofChat(data, value, usage), choices: isSilent ? [] : [choice], isLast };
}

/** Reads a chunk of a chat completion. Returns undefined for an error, or any other value. */
export function readChat(data: string): WireChunk | undefined {
  const value = parse(data);
  return hasChoices(value) ? ofChat(data, value, readUsage(value.usage)) : undefined;
}

function ofChat(data: string, value: JsonObject, usage: Chunk["usage"]): WireChunk {
  const choices = objectsIn(value.choices);
  return { data, value, head, usage, forward: undefined, choices };
}

/** Returns the event in an event's data; undefined where it is none. */
export function parseEvent(data: string): WireEvent | undefined {
  const value = parse(data);
  return isJsonObject(value) && typeof value.type === "string" ? (value as WireEvent) : undefined;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
