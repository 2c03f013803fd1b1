import type { JsonObject } from "@tollgate/core/json";
import type { ChatUsage } from "../../usage/usage.ts";
import { readUsage } from "../../usage-reader.ts";
import { chunkEvent } from "./chunk-event.ts";
import { hasChoices } from "./provider-response.ts";
import { identityOf, type ResponseIdentity } from "./response-identity.ts";

/** A provider's chunk, parsed once: the event for the client and the values for metering. */
export interface Chunk {
  /**
   * An event of the chunk with its head replaced, and without usage, cost and session, which only the
   * gateway reports; undefined when there is nothing to send.
   */
  forward: Uint8Array | undefined;
  head: ChunkHead;
  usage: ChatUsage | undefined;
  choices: readonly JsonObject[];
  /** Whether the stream ends with it. */
  isLast?: boolean;
}

/** The fields that all chunks of one stream share. */
export interface ChunkHead extends ResponseIdentity {
  object: string;
  model: string;
  session_id?: string;
}

/** Reads the data of one event. Returns undefined for an error, or any value but a chunk. */
export type ReadChunk = (data: string) => Chunk | undefined;

/**
 * Creates a reader of one stream's chunks. All of them get the identity of the first chunk that is
 * sent to the client; `own` replaces what that chunk leaves out.
 */
export function createChunkReader(own: Omit<ChunkHead, "object">): ReadChunk {
  const { id, created, ...others } = own;
  const ours: ChunkHead = { id, object: "chat.completion.chunk", created, ...others };
  let head: ChunkHead | undefined;
  return (data) => {
    const value = parse(data);
    if (!hasChoices(value)) return undefined;
    const { choices } = value;
    const usage = readUsage(value.usage);
    if (choices.length === 0) return { forward: undefined, head: head ?? ours, usage, choices };
    head ??= { ...ours, ...identityOf(value, ours) };
    const forward = chunkEvent(splice(data, value, head) ?? write(value, head));
    return { forward, head, usage, choices };
  };
}

/** Returns a choice's index; a choice without one is the first. */
export function indexOf({ index }: JsonObject): number {
  return typeof index === "number" ? index : 0;
}

/** Serializes the chunk without the provider's usage, cost and session. */
function write({ usage, cost, session_id, ...rest }: JsonObject, head: ChunkHead): string {
  return JSON.stringify({ ...rest, ...head });
}

/** A chunk as most providers write it: the model after plain members, the usage last and null. */
const opening = /^(\{(?:"\w+":(?:"[^"\\]*"|\d+|null),)*?"model":)"([^"\\]*)"/;
const noUsage = ',"usage":null}';

/**
 * Returns the same chunk spliced from the provider's text, which costs less CPU than to serialize
 * it; undefined when the text does not have the expected form.
 */
function splice(data: string, value: JsonObject, head: ChunkHead): string | undefined {
  if (!hasHead(value, head) || data.includes("\n")) return undefined;
  const { model, usage, cost, session_id } = value;
  if (cost !== undefined || session_id !== undefined) return undefined;
  const [all = "", start, written] = opening.exec(data) ?? [];
  if (written === undefined || written !== model) return undefined;
  // A second member of this name, or a nested one.
  if (data.includes('"model":', all.length)) return undefined;
  const alias = JSON.stringify(head.model);
  if (usage === undefined) return `${start}${alias}${data.slice(all.length)}`;
  const isOnlyAtEnd = data.indexOf('"usage":') === data.length - noUsage.length + 1;
  if (usage !== null || !isOnlyAtEnd || !data.endsWith(noUsage)) return undefined;
  return `${start}${alias}${data.slice(all.length, -noUsage.length)}}`;
}

/** Returns whether a chunk, apart from its model, already has its stream's head. */
function hasHead(value: JsonObject, head: ChunkHead): boolean {
  return (
    value.id === head.id &&
    value.created === head.created &&
    value.object === head.object &&
    head.session_id === undefined
  );
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
