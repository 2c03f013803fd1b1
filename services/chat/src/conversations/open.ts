import { readSettings } from "@tollgate/core/config";
import type { ConversationService } from "@tollgate/proto/tollgate/v1/conversation";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Implementation } from "@tollgate/rpc/implementation";
import { openDatabase } from "@tollgate/runtime/database/pool";
import type { ServiceContext } from "@tollgate/runtime/service";
import { z } from "zod";
import { CopySocket } from "../database/copy-socket.ts";
import { chatSchema } from "../database/schema.ts";
import { createDeletion } from "./deletion.ts";
import { implementConversations } from "./service.ts";
import { createSessions, type Sessions } from "./session.ts";
import { createSessionLocks } from "./session-lock.ts";
import { createConversationStore } from "./store.ts";
import { traceSessionParts } from "./trace-session-parts.ts";

export interface Conversations {
  sessions: Sessions;
  api: Implementation<typeof ConversationService>;
  stop(): Promise<void>;
}

/** Opens the conversation store. Throws a StartError when its database cannot be used. */
export async function openConversations(
  { env, log, migrates, peer }: ServiceContext,
  { databaseConnections, waitMs }: { databaseConnections: number; waitMs: number },
): Promise<Conversations> {
  const pool = await openDatabase({
    url: readSettings(schema, env).DATABASE_URL,
    schema: chatSchema,
    migrates,
    maxConnections: databaseConnections,
    createSocket: () => new CopySocket(),
    log,
  });
  const ledger = peer("ledger", LedgerService);
  const store = createConversationStore(pool);
  const locks = createSessionLocks(pool, log, { waitMs });
  const deletion = createDeletion(pool, ledger, log);
  return {
    sessions: createSessions(traceSessionParts({ store, locks, log })),
    api: implementConversations({ store, deletion, ledger }),
    async stop() {
      locks.stop();
      await deletion.stop();
      await pool.end();
    },
  };
}

const schema = z.object({ DATABASE_URL: z.string() });
