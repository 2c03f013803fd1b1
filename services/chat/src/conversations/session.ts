import { GatewayError } from "@tollgate/kit/errors";
import type { JsonObject } from "@tollgate/kit/json";
import type { Log } from "@tollgate/kit/log";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { type ConversationKey, conversationKey, linkOf } from "./conversation-key.ts";
import type { SessionLocks } from "./session-lock.ts";
import { storedSizes } from "./sizes.ts";
import type { ConversationStore, StoredPrefix } from "./store.ts";

/** One turn of a conversation under way: nobody else works on it meanwhile. */
export interface Session {
  /** As the client wrote it. */
  sessionId: string;
  /** What the ledger links the turn's entry to. */
  link: string;
  prefix: StoredPrefix;
  /**
   * Stores the turn. Raises `conversation_not_found` when the conversation was deleted meanwhile,
   * and `internal_error` when its lock was lost.
   */
  keep(turn: AnsweredTurn): Promise<void>;
  /** Lets others work on the conversation. Never raises. */
  release(): Promise<void>;
}

export interface AnsweredTurn {
  model: string;
  /** The assistant's message. */
  response: JsonObject;
  /** The usage block that the client is told. */
  usage: JsonObject;
  /** Of the whole context: prompt and answer. */
  totalTokens: bigint;
}

export interface Sessions {
  /**
   * Opens the call's conversation, for it alone; `release` must follow. Raises what taking its lock
   * raises, and `conversation_not_found` for one that was deleted.
   */
  open(call: ChatCall, signal: AbortSignal): Promise<Session>;
}

export interface SessionParts {
  store: ConversationStore;
  locks: SessionLocks;
  log: Log;
}

export function createSessions(parts: SessionParts): Sessions {
  const { store, locks } = parts;
  return {
    async open(call, signal) {
      const { caller, sessionId } = call;
      const key = conversationKey(caller?.keyId ?? "", sessionId);
      if (caller === undefined || key === undefined) throw new Error("a session names its key");
      await locks.take(key, caller.requestId, signal);
      const release = () => locks.release(key, caller.requestId);
      try {
        const prefix = (await store.load(key)) ?? nothingYet;
        if (prefix.isDeleted) throw gone();
        const keepTurn = (turn: AnsweredTurn) => keep(parts, key, call, prefix, turn);
        return { sessionId, link: linkOf(key), prefix, keep: keepTurn, release };
      } catch (error) {
        await release();
        throw error;
      }
    },
  };
}

const nothingYet: StoredPrefix = {
  isDeleted: false,
  contextTokens: 0n,
  textBytes: 0n,
  textCharacters: 0n,
  messages: 0,
  imageParts: 0,
  turns: [],
};

/**
 * The contract names a deleted id among those of `conversation_not_found`, and keeps
 * `sessions_unavailable` for a service that stores no conversations at all.
 */
function gone(): GatewayError {
  const message = "This conversation was deleted. Begin another under a new session_id.";
  return new GatewayError("conversation_not_found", message, { param: "session_id" });
}

async function keep(
  { store, log }: SessionParts,
  key: ConversationKey,
  { caller, messages, prompt }: ChatCall,
  prefix: StoredPrefix,
  { model, response, usage, totalTokens }: AnsweredTurn,
): Promise<void> {
  const { accountId = "", requestId = "" } = caller ?? {};
  const turn = {
    accountId,
    model,
    requestId,
    messages: Buffer.from(messages).toString("utf8"),
    response: JSON.stringify(response),
    usage: JSON.stringify(usage),
    sizes: storedSizes(prefix, prompt, response, totalTokens),
  };
  if (await store.append(key, requestId, turn)) return;
  if ((await store.load(key))?.isDeleted) throw gone();
  log.error({ request_id: requestId }, "a session's lock was lost before its turn was stored");
  throw new GatewayError("internal_error", "The turn could not be stored. Retry it.");
}
