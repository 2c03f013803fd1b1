import { isJsonObject, type JsonObject } from "@tollgate/kit/json";
import { contentCharacters } from "./content.ts";
import { type ChatUsage, readUsage } from "./usage.ts";

/** A provider's chunk, read once: what goes on to the client, and what it says for the meter. */
export interface Chunk {
  /** The chunk under our alias, without usage or cost; undefined when nothing is left to send. */
  forward: Uint8Array | undefined;
  id: unknown;
  created: unknown;
  usage: ChatUsage | undefined;
  characters: number;
  /** What the first choice adds to its message. */
  delta: unknown;
  /** Why the first choice ends, where this chunk says so. */
  finishReason: unknown;
  /** Indices of the choices that this chunk speaks of, and of those that it finishes. */
  seen: readonly number[];
  finished: readonly number[];
}

/**
 * Reads the data of one event; undefined when it is no chunk, also when it reports an error.
 * `own` are the members that the gateway sets.
 */
export function readChunk(data: string, own: JsonObject): Chunk | undefined {
  const value = parseObject(data);
  if (value === undefined || !Array.isArray(value.choices)) return undefined;
  const { usage, cost: _providerCost, ...rest } = value;
  let characters = 0;
  let delta: unknown;
  let finishReason: unknown;
  const seen: number[] = [];
  const finished: number[] = [];
  for (const choice of value.choices) {
    if (!isJsonObject(choice)) return undefined;
    characters += contentCharacters(choice.delta);
    const index = typeof choice.index === "number" ? choice.index : 0;
    if (index === 0) ({ delta, finish_reason: finishReason } = choice);
    seen.push(index);
    if (choice.finish_reason !== null && choice.finish_reason !== undefined) finished.push(index);
  }
  const empty = value.choices.length === 0;
  return {
    forward: empty ? undefined : Buffer.from(JSON.stringify({ ...rest, ...own })),
    id: value.id,
    created: value.created,
    usage: readUsage(usage),
    characters,
    delta,
    finishReason,
    seen,
    finished,
  };
}

function parseObject(data: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
