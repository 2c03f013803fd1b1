import { LRUCache } from "lru-cache";
import type pg from "pg";
import { type ConversationKey, linkOf } from "./conversation-key.ts";

/** What all conversations together may take of a replica's memory, and how long unused. */
const maxCachedBytes = 64 * 1024 * 1024;
const cachedMs = 10 * 60 * 1_000;
/** What an entry takes besides its content. */
const entryBytes = 1_000;

/** The contents of turns, as they go to a provider; those lately used are at hand. */
export interface TurnContents {
  /** For each of the first `turnCount` turns its messages and the answer, without brackets. */
  read(key: ConversationKey, turnCount: number): Promise<readonly Uint8Array[]>;
  /** A turn was stored as the `index`-th. */
  add(key: ConversationKey, index: number, turn: { messages: string; response: string }): void;
  forget(key: ConversationKey): void;
}

interface Cached {
  /** Turns never change, so their count says whether these are all. */
  turnCount: number;
  turns: readonly Uint8Array[];
}

export function createTurnContents(pool: pg.Pool): TurnContents {
  const cache = new LRUCache<string, Cached>({
    maxSize: maxCachedBytes,
    ttl: cachedMs,
    sizeCalculation: ({ turns }) =>
      turns.reduce((sum, { byteLength }) => sum + byteLength, entryBytes),
  });
  return {
    async read(key, turnCount) {
      const cached = cache.get(linkOf(key));
      if (cached?.turnCount === turnCount) return cached.turns;
      // Megabytes of text are passed on as they are, not made into strings.
      const values = [key.keyId, key.id];
      const query = { name: "load-turns", text: contentSql, values, binary: true };
      const { rows } = await pool.query<{ content: Buffer }>(query);
      const turns = rows.map(({ content }) => content);
      cache.set(linkOf(key), { turnCount, turns });
      return turns;
    },
    add(key, index, { messages, response }) {
      const before = index === 0 ? [] : cache.get(linkOf(key))?.turns;
      if (before?.length !== index) return;
      const content = Buffer.from(`${messages.slice(1, -1)},${response}`);
      cache.set(linkOf(key), { turnCount: index + 1, turns: [...before, content] });
    },
    forget: (key) => void cache.delete(linkOf(key)),
  };
}

/** A turn's messages lose their brackets and are followed by the answer to them. */
const contentSql = `
  SELECT convert_to(substr(messages, 2, length(messages) - 2) || ',' || response, 'UTF8') AS content
  FROM turn WHERE key_id = $1 AND conversation_id = $2 ORDER BY index`;
