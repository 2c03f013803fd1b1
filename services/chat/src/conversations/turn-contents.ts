import { readByteRows } from "@tollgate/runtime/database/byte-rows";
import { LRUCache } from "lru-cache";
import pg from "pg";
import { type ConversationKey, linkOf } from "./conversation-key.ts";

/** What all conversations together may take of a replica's memory, and how long unused. */
const maxCachedBytes = 64 * 1024 * 1024;
const cachedMs = 10 * 60 * 1_000;
/** What an entry takes besides its content. */
const entryBytes = 1_000;
/** Pieces of this size are not joined to be fewer. */
const largePieceBytes = 256 * 1024;
/** How many turns there are at least before some are joined in the database. */
const segmentTurns = 64;

/**
 * The contents of turns as they go to a provider: the messages of each and the answer, all of them
 * with a comma behind, in few pieces that are never copied to be sent. Those lately used are at
 * hand.
 */
export interface TurnContents {
  /** Of the first `turnCount` turns. */
  read(key: ConversationKey, turnCount: number): Promise<readonly Uint8Array[]>;
  /** A turn was stored as the `index`-th. */
  add(key: ConversationKey, index: number, turn: { messages: string; response: string }): void;
  forget(key: ConversationKey): void;
}

interface Cached {
  /** Turns never change, so their count says whether these are all. */
  turnCount: number;
  pieces: readonly Uint8Array[];
}

const nothing: Cached = { turnCount: 0, pieces: [] };

export function createTurnContents(pool: pg.Pool): TurnContents {
  const cache = new LRUCache<string, Cached>({
    maxSize: maxCachedBytes,
    ttl: cachedMs,
    sizeCalculation: ({ pieces }) =>
      pieces.reduce((sum, { byteLength }) => sum + byteLength, entryBytes),
  });
  return {
    async read(key, turnCount) {
      const cached = cache.get(linkOf(key));
      if (cached?.turnCount === turnCount) return cached.pieces;
      const known = cached !== undefined && isContinued(cached, turnCount) ? cached : nothing;
      const added = await readByteRows(pool, contentSql(key, known.turnCount, turnCount));
      const pieces = added.reduce<readonly Uint8Array[]>(appended, known.pieces);
      cache.set(linkOf(key), { turnCount, pieces });
      return pieces;
    },
    add(key, index, { messages, response }) {
      const before = index === 0 ? nothing : cache.get(linkOf(key));
      if (before?.turnCount !== index) return;
      const pieces = appended(before.pieces, Buffer.from(`${messages.slice(1, -1)},${response},`));
      cache.set(linkOf(key), { turnCount: index + 1, pieces });
    },
    forget: (key) => void cache.delete(linkOf(key)),
  };
}

/**
 * Another replica may have added to what is at hand here. Much is quicker read from the beginning.
 */
function isContinued(cached: Cached, turnCount: number): boolean {
  return cached.turnCount < turnCount && turnCount - cached.turnCount < segmentTurns;
}

/**
 * Adds a piece, and joins it with those before that are no larger, unless they are large. So a byte
 * is copied a dozen times at the most.
 */
function appended(pieces: readonly Uint8Array[], added: Uint8Array): Uint8Array[] {
  let last = added;
  let count = pieces.length;
  for (; count > 0; count -= 1) {
    const before = pieces[count - 1] as Uint8Array;
    if (before.byteLength > Math.min(last.byteLength, largePieceBytes)) break;
    last = Buffer.concat([before, last]);
  }
  return [...pieces.slice(0, count), last];
}

/** Of the turns from the one index until before the other, in pieces and in their order. */
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
    ) AS pieces ORDER BY index`;
}
