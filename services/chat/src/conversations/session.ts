import { GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import type { Log } from "@tollgate/core/log";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { type ConversationKey, conversationKey, linkOf } from "./conversation-key.ts";
import type { SessionLocks } from "./session-lock.ts";
import { storedSizes } from "./sizes.ts";
import type { ConversationStore, StoredPrefix } from "./store.ts";
import type { CompletedTurn, StoredHead } from "./turn.ts";

/** A conversation that is locked for one turn: no other request works on it meanwhile. */
export interface Session {
  /** The id as the client wrote it. */
  sessionId: string;
  /** The id to which the ledger links the turn's entry. */
  link: string;
  prefix: StoredPrefix;
  /** The turn that an earlier run of the same request stored. It must not be generated again. */
  storedTurn: StoredTurn | undefined;
  /**
   * Stores the turn. Throws `conversation_not_found` when the conversation was deleted meanwhile,
   * and `internal_error` when its lock was lost.
   */
  storeTurn(turn: CompletedTurn): Promise<void>;
  /** Releases the lock. Never throws. */
  release(): Promise<void>;
}

export interface StoredTurn extends StoredHead {
  model: string;
  response: JsonObject;
  usage: JsonObject;
}

export interface Sessions {
  /**
   * Locks the call's conversation and loads it; `release` must follow. Throws what taking the lock
   * throws, and `conversation_not_found` for a conversation that was deleted.
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
      if (caller === undefined || key === undefined) {
        throw new Error("a call with a session must have a caller and a valid session id");
      }
      const lock = await locks.take(key, caller.requestId, signal);
      const release = () => locks.release(lock);
      try {
        const prefix = (await store.load(key)) ?? emptyPrefix;
        if (prefix.isDeleted) throw conversationDeleted();
        const storedTurn = await findStoredTurn(store, key, caller.chargeId);
        return {
          sessionId,
          link: linkOf(key),
          prefix,
          storedTurn,
          storeTurn: (turn) => storeTurn(parts, key, call, prefix, turn),
          release,
        };
      } catch (error) {
        await release();
        throw error;
      }
    },
  };
}

const emptyPrefix: StoredPrefix = {
  isDeleted: false,
  contextTokens: 0n,
  textBytes: 0n,
  textCharacters: 0n,
  messages: 0,
  imageParts: 0,
  turnCount: 0,
  content: [],
};

/**
 * The contract lists a deleted id under `conversation_not_found`, and reserves
 * `sessions_unavailable` for a service that stores no conversations at all.
 */
function conversationDeleted(): GatewayError {
  const message = "This conversation was deleted. Start another with a new session_id.";
  return new GatewayError("conversation_not_found", message, { param: "session_id" });
}

async function storeTurn(
  { store, log }: SessionParts,
  key: ConversationKey,
  { caller, messages, prompt }: ChatCall,
  prefix: StoredPrefix,
  { model, response, usage, totalTokens, head }: CompletedTurn,
): Promise<void> {
  const { accountId = "", requestId = "", chargeId = "" } = caller ?? {};
  const turn = {
    accountId,
    model,
    requestId,
    messages: Buffer.concat(messages).toString("utf8"),
    response: JSON.stringify(response),
    usage: JSON.stringify(usage),
    ...(chargeId === "" ? {} : { charge: { id: chargeId, responseHead: writeHead(head) } }),
    sizes: storedSizes(prefix, prompt, response, totalTokens),
  };
  if (await store.append(key, requestId, turn)) return;
  if ((await store.load(key))?.isDeleted) throw conversationDeleted();
  log.error({ request_id: requestId }, "session lock lost before the turn was stored");
  throw new GatewayError("internal_error", "The turn could not be stored. Retry it.");
}

function writeHead({ cost, ...rest }: StoredHead): string {
  return JSON.stringify({ ...rest, cost: String(cost) });
}

/** A request without an idempotency key has no charge id and no other run. */
async function findStoredTurn(
  store: ConversationStore,
  key: ConversationKey,
  chargeId: string,
): Promise<StoredTurn | undefined> {
  if (chargeId === "") return undefined;
  const row = await store.findCharged(key, chargeId);
  if (row === undefined) return undefined;
  const { cost, ...head } = JSON.parse(row.response_head) as WrittenHead;
  const response = JSON.parse(row.response) as JsonObject;
  const usage = JSON.parse(row.usage) as JsonObject;
  return { ...head, cost: BigInt(cost), model: row.model, response, usage };
}

type WrittenHead = Omit<StoredHead, "cost"> & { cost: string };
