import { LRUCache } from "lru-cache";
import type pg from "pg";
import { type ConversationKey, linkOf } from "./conversation-key.ts";

/** What all conversations together may take of a replica's memory, and how long unused. */
const maxCachedBytes = 64 * 1024 * 1024;
const cachedMs = 10 * 60 * 1_000;
/** What an entry takes besides its content. */
const entryBytes = 1_000;

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
      // Another replica may have added to what is at hand here.
      const known = cached !== undefined && cached.turnCount < turnCount ? cached : nothing;
      // Megabytes of text are passed on as they are, not made into strings.
      const values = [key.keyId, key.id, known.turnCount, turnCount];
      const query = { name: "load-turns", text: contentSql, values, binary: true };
      const { rows } = await pool.query<{ content: Buffer }>(query);
      const added = Buffer.concat(rows.map(({ content }) => content));
      const pieces = added.byteLength === 0 ? known.pieces : appended(known.pieces, added);
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
 * Adds a piece, and joins it with those before that are no larger. So there are never more than a
 * couple of dozens, and a byte is copied as rarely as that.
 */
function appended(pieces: readonly Uint8Array[], added: Uint8Array): Uint8Array[] {
  let last = added;
  let count = pieces.length;
  for (; count > 0; count -= 1) {
    const before = pieces[count - 1] as Uint8Array;
    if (before.byteLength > last.byteLength) break;
    last = Buffer.concat([before, last]);
  }
  return [...pieces.slice(0, count), last];
}

/** A turn's messages lose their brackets and are followed by the answer to them. */
const contentSql = `
  SELECT convert_to(substr(messages, 2, length(messages) - 2) || ',' || response || ',', 'UTF8')
    AS content
  FROM turn WHERE key_id = $1 AND conversation_id = $2 AND index >= $3 AND index < $4
  ORDER BY index`;
