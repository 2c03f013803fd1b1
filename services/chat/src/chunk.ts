import type { JsonObject } from "@tollgate/core/json";
import { type AnswerIdentity, identityOf } from "./answer-identity.ts";
import { hasChoices } from "./provider-answer.ts";
import { type ChatUsage, readUsage } from "./usage.ts";

/** A provider's chunk, read once: what goes on to the client, and what it says for the meter. */
export interface Chunk {
  /**
   * The chunk under its head, without what only we tell; undefined when nothing is left to send.
   */
  forward: Uint8Array | undefined;
  head: ChunkHead;
  usage: ChatUsage | undefined;
  choices: readonly JsonObject[];
}

/** What the chunks of one stream have in common. */
export interface ChunkHead extends AnswerIdentity {
  object: string;
  model: string;
  session_id?: string;
}

/** Reads the data of one event; undefined when it is no chunk, also when it reports an error. */
export type ReadChunk = (data: string) => Chunk | undefined;

/**
 * Reads one stream's chunks. All have the identity of the first that is sent on; ours stands in for
 * what that one leaves out.
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
    const forward = Buffer.from(splice(data, value, head) ?? write(value, head));
    return { forward, head, usage, choices };
  };
}

/**
 * Which of the answers that were asked for a choice belongs to: the first, where it does not say.
 */
export function indexOf({ index }: JsonObject): number {
  return typeof index === "number" ? index : 0;
}

/** The chunk written anew, without the provider's usage, cost and session. */
function write({ usage, cost, session_id, ...rest }: JsonObject, head: ChunkHead): string {
  return JSON.stringify({ ...rest, ...head });
}

/** A chunk as most providers write it: the model behind plain members, the usage last and null. */
const opening = /^(\{(?:"\w+":(?:"[^"\\]*"|\d+|null),)*?"model":)"([^"\\]*)"/;
const noUsage = ',"usage":null}';

/**
 * The same from the provider's own text, which costs less; undefined where that is not to be seen
 * to be the same.
 */
function splice(data: string, value: JsonObject, head: ChunkHead): string | undefined {
  if (!hasHead(value, head) || data.includes("\n")) return undefined;
  const { model, usage, cost, session_id } = value;
  if (cost !== undefined || session_id !== undefined) return undefined;
  const [all = "", start, written] = opening.exec(data) ?? [];
  if (written === undefined || written !== model) return undefined;
  // A second member of the name, or one further in.
  if (data.includes('"model":', all.length)) return undefined;
  const alias = JSON.stringify(head.model);
  if (usage === undefined) return `${start}${alias}${data.slice(all.length)}`;
  const isOnlyAtEnd = data.indexOf('"usage":') === data.length - noUsage.length + 1;
  if (usage !== null || !isOnlyAtEnd || !data.endsWith(noUsage)) return undefined;
  return `${start}${alias}${data.slice(all.length, -noUsage.length)}}`;
}

/** Whether a chunk says, but for its model, what the chunks of its stream have in common. */
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
