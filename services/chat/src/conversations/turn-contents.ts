import { LRUCache } from "lru-cache";
import pg from "pg";
import { readByteRows } from "../database/byte-rows.ts";
import { type ConversationKey, linkOf } from "./conversation-key.ts";

/** Bounds of a replica's cache: the size of all conversations, and the age of an entry. */
const maxCachedBytes = 64 * 1024 * 1024;
const cachedMs = 10 * 60 * 1_000;
/** The size of a cache entry besides its content. */
const entryBytes = 1_000;
/** Chunks of this size are not joined into larger ones. */
const largeChunkBytes = 256 * 1024;
/** How many turns the database joins into one segment. */
const segmentTurns = 64;

/**
 * Reads the contents of turns as they are sent to a provider: the messages of each turn and its
 * response, each followed by a comma, in a few chunks that are sent without a copy. Recently used
 * contents are cached.
 */
export interface TurnContents {
  /** Returns the contents of the first `turnCount` turns. */
  read(key: ConversationKey, turnCount: number): Promise<readonly Uint8Array[]>;
  /** Adds the turn that was stored at `index` to the cache. */
  add(key: ConversationKey, index: number, turn: { messages: string; response: string }): void;
  /** Removes a conversation from the cache. */
  forget(key: ConversationKey): void;
}

interface Cached {
  /** Turns never change, so an equal count means that the entry is complete. */
  turnCount: number;
  chunks: readonly Uint8Array[];
}

const empty: Cached = { turnCount: 0, chunks: [] };

export function createTurnContents(pool: pg.Pool): TurnContents {
  const cache = new LRUCache<string, Cached>({
    maxSize: maxCachedBytes,
    ttl: cachedMs,
    sizeCalculation: ({ chunks }) =>
      chunks.reduce((sum, { byteLength }) => sum + byteLength, entryBytes),
  });
  function put(key: ConversationKey, turnCount: number, chunks: readonly Uint8Array[]) {
    const cached = { turnCount, chunks: chunks.map(ownBytes) };
    cache.set(linkOf(key), cached);
    return cached.chunks;
  }

  return {
    async read(key, turnCount) {
      const cached = cache.get(linkOf(key));
      if (cached?.turnCount === turnCount) return cached.chunks;
      const known = cached !== undefined && isContinued(cached, turnCount) ? cached : empty;
      const added = await readByteRows(pool, contentSql(key, known.turnCount, turnCount));
      const chunks = added.reduce<readonly Uint8Array[]>(append, known.chunks);
      return put(key, turnCount, chunks);
    },
    add(key, index, { messages, response }) {
      const before = index === 0 ? empty : cache.get(linkOf(key));
      if (before?.turnCount !== index) return;
      const chunks = append(before.chunks, Buffer.from(`${messages.slice(1, -1)},${response},`));
      put(key, index + 1, chunks);
    },
    forget: (key) => void cache.delete(linkOf(key)),
  };
}

/**
 * Another replica may have added turns to a cached conversation. A few are read one by one; many are
 * faster to read again as segments.
 */
function isContinued(cached: Cached, turnCount: number): boolean {
  return cached.turnCount < turnCount && turnCount - cached.turnCount < segmentTurns;
}

/**
 * Returns the chunks with one more, joined with the chunks before it that are no larger, up to
 * `largeChunkBytes`. A byte is copied a dozen times at most.
 */
function append(chunks: readonly Uint8Array[], added: Uint8Array): Uint8Array[] {
  let last = added;
  let count = chunks.length;
  for (; count > 0; count -= 1) {
    const before = chunks[count - 1] as Uint8Array;
    if (before.byteLength > Math.min(last.byteLength, largeChunkBytes)) break;
    last = Buffer.concat([before, last]);
  }
  return [...chunks.slice(0, count), last];
}

/**
 * Returns the chunk, or its copy where it is less than half of its buffer. A row is a part of the
 * 64 KiB that the socket read, and a small buffer a part of Node's pool: cached, each would retain
 * all of it.
 */
function ownBytes(chunk: Uint8Array): Uint8Array {
  if (chunk.buffer.byteLength < 2 * chunk.byteLength) return chunk;
  const copy = Buffer.allocUnsafeSlow(chunk.byteLength);
  copy.set(chunk);
  return copy;
}

/** Selects the contents of the turns from index `from` up to, not including, `until`, in order. */
function contentSql({ keyId, id }: ConversationKey, from: number, until: number): string {
  const own = `key_id = ${pg.escapeLiteral(keyId)} AND conversation_id = ${pg.escapeLiteral(id)}`;
  const turnsFrom = (first: string) => `
    SELECT index, turn_content(messages, response) AS content FROM turn
    WHERE ${own} AND index >= ${first} AND index < ${until}`;
  if (from > 0 || until < segmentTurns) {
    return `SELECT content FROM (${turnsFrom(String(from))}) AS added ORDER BY index`;
  }
  const segments = `FROM turn_segment WHERE ${own} AND until_index <= ${until}`;
  return `
    SELECT content FROM (
      SELECT from_index AS index, content ${segments}
      UNION ALL ${turnsFrom(`(SELECT coalesce(max(until_index), 0) ${segments})`)}
    ) AS contents ORDER BY index`;
}
