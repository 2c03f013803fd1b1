import type { JsonObject } from "@tollgate/core/json";
import type { ResponseIdentity } from "./response.ts";

/** The fields that all chunks of one stream share. */
export interface ChunkHead extends ResponseIdentity {
  object: string;
  model: string;
  session_id?: string;
}

/**
 * Returns the JSON of a chunk with its stream's head, and without usage, cost and session, which only
 * the gateway reports. `data` is its JSON as the provider wrote it.
 */
export function chunkJson(data: string, value: JsonObject, head: ChunkHead): string {
  return splice(data, value, head) ?? serialize(value, head);
}

function serialize({ usage, cost, session_id, ...rest }: JsonObject, head: ChunkHead): string {
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
