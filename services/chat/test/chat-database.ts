import { randomUUID } from "node:crypto";
import { createLog } from "@tollgate/core/log";
import { createDatabase } from "@tollgate/local/postgres";
import { openDatabase } from "@tollgate/runtime/database/pool";
import type pg from "pg";
import type { ConversationKey } from "../src/conversations/conversation-key.ts";
import type { NewTurn } from "../src/conversations/store.ts";
import { CopySocket } from "../src/database/copy-socket.ts";
import { chatSchema } from "../src/database/schema.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A Postgres in which each suite creates its own databases. */
    postgresUrl: string;
  }
}

export const silent = createLog("silent");

/** Opens a new database with the tables of the chat service. */
export async function openChatDatabase(postgresUrl: string): Promise<pg.Pool> {
  return openDatabase({
    url: await createDatabase(postgresUrl, `chat_${randomUUID().replaceAll("-", "")}`),
    schema: chatSchema,
    maxConnections: 8,
    createSocket: () => new CopySocket(),
    log: silent,
  });
}

export function newKey(): ConversationKey {
  return { keyId: "key_1", id: randomUUID() };
}

export function newTurn(more: Partial<NewTurn> = {}): NewTurn {
  return {
    accountId: "acct_1",
    model: "test-small",
    requestId: "req_1",
    messages: '[{"role":"user","content":"x"}]',
    response: '{"role":"assistant","content":"y"}',
    usage: "{}",
    sizes: { contextTokens: 0n, textBytes: 0n, textCharacters: 0n, messages: 2, imageParts: 0 },
    ...more,
  };
}

/** Takes the lock of a conversation for `holder`. */
export async function lock(pool: pg.Pool, key: ConversationKey, holder: string): Promise<void> {
  await pool.query(
    `INSERT INTO session_lock VALUES ($1, $2, $3, now() + interval '1 minute')
     ON CONFLICT (key_id, conversation_id) DO UPDATE SET holder = excluded.holder`,
    [key.keyId, key.id, holder],
  );
}
