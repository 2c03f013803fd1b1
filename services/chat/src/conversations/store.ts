import type pg from "pg";
import type { ConversationKey } from "./conversation-key.ts";
import type { Sizes } from "./sizes.ts";
import { createTurnContents } from "./turn-contents.ts";

/** The stored turns of a conversation, which precede the next turn. */
export interface StoredPrefix extends Sizes {
  isDeleted: boolean;
  turnCount: number;
  /** The messages and responses of all turns; see `TurnContents`. */
  content: readonly Uint8Array[];
}

export interface NewTurn {
  accountId: string;
  model: string;
  requestId: string;
  /** A JSON array. */
  messages: string;
  /** A JSON object. */
  response: string;
  /** A JSON object. */
  usage: string;
  /** Sizes of all turns, including this one. */
  sizes: Sizes;
  /**
   * Set for a request that may be run again: the charge id that its runs share, and the response
   * head as a JSON object.
   */
  charge?: { id: string; responseHead: string };
}

/** What another run of a turn's request needs for its response. */
export interface ChargedTurn {
  model: string;
  response: string;
  usage: string;
  response_head: string;
}

export interface ConversationRow {
  id: string;
  model: string;
  turn_count: number;
  created_at: Date;
  last_active_at: Date;
}

export interface ConversationList {
  rows: ConversationRow[];
  total: bigint;
}

export interface TurnRow {
  index: number;
  messages: string;
  response: string;
  usage: string;
  model: string;
  request_id: string;
  created_at: Date;
}

/** Conversations and their turns. */
export interface ConversationStore {
  /** Returns the turns of a conversation; undefined for an id that was never used. */
  load(key: ConversationKey): Promise<StoredPrefix | undefined>;
  /**
   * Adds a turn; the first one creates the conversation. Returns false, and stores nothing, when
   * `holder` lost its lock or the conversation was deleted meanwhile.
   */
  append(key: ConversationKey, holder: string, turn: NewTurn): Promise<boolean>;
  /** Returns the turn that an earlier run with this charge id stored. */
  findCharged(key: ConversationKey, chargeId: string): Promise<ChargedTurn | undefined>;
  /** Returns a page of the live conversations, most recently active first, and their number. */
  list(keyId: string, limit: number, offset: bigint): Promise<ConversationList>;
  /** Counts the live conversations of keys together, up to 100,000. */
  count(keyIds: readonly string[]): Promise<number>;
  /** Returns the ids whose conversations were deleted. */
  findDeleted(keyId: string, ids: readonly string[]): Promise<string[]>;
  /** Returns a live conversation with its turns in order. */
  read(key: ConversationKey): Promise<{ row: ConversationRow; turns: TurnRow[] } | undefined>;
}

/**
 * Creates the statements.
 *
 * Longer than 70 lines: it has a short function for each statement of one pool.
 */
export function createConversationStore(pool: pg.Pool): ConversationStore {
  const contents = createTurnContents(pool);
  return {
    async load(key) {
      const { rows } = await pool.query<LoadedRow>({
        name: "load-conversation",
        text: loadSql,
        values: [key.keyId, key.id],
      });
      const [row] = rows;
      if (row === undefined) return undefined;
      if (!row.is_deleted) return toPrefix(row, await contents.read(key, row.turn_count));
      contents.forget(key);
      return toPrefix(row, []);
    },
    async append(key, holder, turn) {
      const { accountId, model, requestId, messages, response, usage, sizes, charge } = turn;
      const { rows } = await pool.query<{ index: number }>({
        name: "append-turn",
        text: appendSql,
        values: [
          key.keyId,
          key.id,
          holder,
          accountId,
          model,
          sizes.contextTokens,
          sizes.textBytes,
          sizes.textCharacters,
          sizes.messages,
          sizes.imageParts,
          messages,
          response,
          usage,
          requestId,
          charge?.id ?? null,
          charge?.responseHead ?? null,
        ],
      });
      const [row] = rows;
      if (row === undefined) return false;
      contents.add(key, row.index, turn);
      return true;
    },
    async findCharged({ keyId, id }, chargeId) {
      const { rows } = await pool.query<ChargedTurn>({
        name: "find-charged",
        text: chargedSql,
        values: [keyId, id, chargeId],
      });
      return rows[0];
    },
    async list(keyId, limit, offset) {
      const { rows } = await pool.query<ListedRow>({
        name: "list-conversations",
        text: listSql,
        values: [keyId, limit, offset],
      });
      return { rows: rows.filter(isListed), total: rows[0]?.total ?? 0n };
    },
    async count(keyIds) {
      const { rows } = await pool.query<{ count: number }>({
        name: "count-conversations",
        text: countSql,
        values: [keyIds],
      });
      return rows[0]?.count ?? 0;
    },
    async findDeleted(keyId, ids) {
      const { rows } = await pool.query<{ id: string }>({
        name: "find-deleted",
        text: deletedSql,
        values: [keyId, ids],
      });
      return rows.map(({ id }) => id);
    },
    async read({ keyId, id }) {
      const { rows } = await pool.query<ConversationRow & Prefixed<TurnRow>>({
        name: "read-conversation",
        text: readSql,
        values: [keyId, id],
      });
      const [row] = rows;
      return row === undefined ? undefined : { row, turns: rows.map(toTurnRow) };
    },
  };
}

/** A page beyond the last conversation still has one row, which holds the total. */
type ListedRow = { total: bigint } & (ConversationRow | { id: null });

function isListed(row: ListedRow): row is ListedRow & ConversationRow {
  return row.id !== null;
}

type Prefixed<Row> = { [Name in keyof Row as `turn_${Name & string}`]: Row[Name] };

function toTurnRow(row: Prefixed<TurnRow>): TurnRow {
  return {
    index: row.turn_index,
    messages: row.turn_messages,
    response: row.turn_response,
    usage: row.turn_usage,
    model: row.turn_model,
    request_id: row.turn_request_id,
    created_at: row.turn_created_at,
  };
}

interface LoadedRow {
  is_deleted: boolean;
  turn_count: number;
  context_tokens: bigint;
  text_bytes: bigint;
  text_characters: bigint;
  messages: number;
  image_parts: number;
}

function toPrefix(row: LoadedRow, content: readonly Uint8Array[]): StoredPrefix {
  return {
    isDeleted: row.is_deleted,
    contextTokens: row.context_tokens,
    textBytes: row.text_bytes,
    textCharacters: row.text_characters,
    messages: row.messages,
    imageParts: row.image_parts,
    turnCount: row.turn_count,
    content,
  };
}

const loadSql = `
  SELECT deleted_at IS NOT NULL AS is_deleted, turn_count, context_tokens, text_bytes,
    text_characters, messages, image_parts
  FROM conversation WHERE key_id = $1 AND id = $2`;

const appendSql = `
  WITH lock AS (
    SELECT FROM session_lock
    WHERE key_id = $1 AND conversation_id = $2 AND holder = $3 FOR UPDATE
  ), stored AS (
    INSERT INTO conversation AS c (key_id, id, account_id, model, turn_count, context_tokens,
      text_bytes, text_characters, messages, image_parts)
    SELECT $1, $2, $4, $5, 1, $6::bigint, $7::bigint, $8::bigint, $9::integer, $10::integer
    FROM lock
    ON CONFLICT (key_id, id) DO UPDATE SET
      model = excluded.model, turn_count = c.turn_count + 1,
      context_tokens = excluded.context_tokens, text_bytes = excluded.text_bytes,
      text_characters = excluded.text_characters, messages = excluded.messages,
      image_parts = excluded.image_parts, last_active_at = now()
    WHERE c.deleted_at IS NULL
    RETURNING turn_count
  )
  INSERT INTO turn (key_id, conversation_id, index, messages, response, usage, model, request_id,
    charge_id, response_head)
  SELECT $1, $2, turn_count - 1, $11, $12, $13, $5, $14, $15, $16 FROM stored RETURNING index`;

const chargedSql = `
  SELECT model, response, usage, response_head FROM turn
  WHERE key_id = $1 AND conversation_id = $2 AND charge_id = $3`;

/** One statement, so that the page and the total come from the same snapshot. */
const listSql = `
  WITH listed AS (
    SELECT id, model, turn_count, created_at, last_active_at FROM conversation
    WHERE key_id = $1 AND deleted_at IS NULL
    ORDER BY last_active_at DESC, id LIMIT $2 OFFSET $3
  ), live AS (
    SELECT count(*) AS total FROM conversation WHERE key_id = $1 AND deleted_at IS NULL
  )
  SELECT live.total, listed.* FROM live LEFT JOIN listed ON true
  ORDER BY last_active_at DESC, id`;

const countSql = `
  SELECT count(*)::int AS count FROM (
    SELECT 1 FROM conversation WHERE key_id = ANY ($1) AND deleted_at IS NULL LIMIT 100000
  ) counted`;

const deletedSql =
  "SELECT id FROM conversation WHERE key_id = $1 AND id = ANY ($2) AND deleted_at IS NOT NULL";

/**
 * One statement, so that the turns match the conversation's count. Every conversation has a turn.
 */
const readSql = `
  SELECT c.id, c.model, c.turn_count, c.created_at, c.last_active_at,
    t.index AS turn_index, t.messages AS turn_messages, t.response AS turn_response,
    t.usage AS turn_usage, t.model AS turn_model, t.request_id AS turn_request_id,
    t.created_at AS turn_created_at
  FROM conversation c JOIN turn t ON t.key_id = c.key_id AND t.conversation_id = c.id
  WHERE c.key_id = $1 AND c.id = $2 AND c.deleted_at IS NULL ORDER BY t.index`;
