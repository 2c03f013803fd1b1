import { isJsonObject, type JsonObject } from "@tollgate/kit/json";
import { type ChatUsage, readUsage } from "./usage.ts";

/** A provider's chunk, read once: what goes on to the client, and what it says for the meter. */
export interface Chunk {
  /** The chunk under our alias, without usage or cost; undefined when nothing is left to send. */
  forward: Uint8Array | undefined;
  id: unknown;
  created: unknown;
  usage: ChatUsage | undefined;
  choices: readonly JsonObject[];
}

/** What the gateway sets in it. */
export interface OwnMembers {
  model: string;
  session_id?: string;
}

/**
 * Reads the data of one event; undefined when it is no chunk, also when it reports an error.
 */
export function readChunk(data: string, own: OwnMembers): Chunk | undefined {
  const value = parseObject(data);
  if (value === undefined || !Array.isArray(value.choices)) return undefined;
  if (!value.choices.every(isJsonObject)) return undefined;
  const { id, created, choices, usage } = value;
  const empty = choices.length === 0;
  const forward = empty ? undefined : Buffer.from(splice(data, value, own) ?? write(value, own));
  return { forward, id, created, usage: readUsage(usage), choices };
}

/** Which of the answers that were asked for a choice belongs to: the first, where it does not say. */
export function indexOf({ index }: JsonObject): number {
  return typeof index === "number" ? index : 0;
}

/** The chunk written anew. */
function write({ usage, cost, ...rest }: JsonObject, own: OwnMembers): string {
  return JSON.stringify({ ...rest, ...own });
}

/** A chunk as most providers write it: the model behind plain members, the usage last and null. */
const opening = /^(\{(?:"\w+":(?:"[^"\\]*"|\d+|null),)*?"model":)"([^"\\]*)"/;
const noUsage = ',"usage":null}';

/**
 * The same from the provider's own text, which costs less; undefined where that is not to be seen
 * to be the same.
 */
function splice(
  data: string,
  { model, usage, cost }: JsonObject,
  own: OwnMembers,
): string | undefined {
  if (cost !== undefined || own.session_id !== undefined || data.includes("\n")) return undefined;
  const [all = "", head, written] = opening.exec(data) ?? [];
  if (written === undefined || written !== model) return undefined;
  // A second member of the name, or one further in.
  if (data.includes('"model":', all.length)) return undefined;
  const alias = JSON.stringify(own.model);
  if (usage === undefined) return `${head}${alias}${data.slice(all.length)}`;
  const isOnlyAtEnd = data.indexOf('"usage":') === data.length - noUsage.length + 1;
  if (usage !== null || !isOnlyAtEnd || !data.endsWith(noUsage)) return undefined;
  return `${head}${alias}${data.slice(all.length, -noUsage.length)}}`;
}

function parseObject(data: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
