import { GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import type { Log } from "@tollgate/core/log";
import type { NanoUsd } from "@tollgate/core/money";
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
  /** The turn that an earlier run of this very request stored: it is not to be run again. */
  kept: KeptTurn | undefined;
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
  head: AnswerHead;
}

/** What of an answer is not in its turn, and another run of the request tells all the same. */
export interface AnswerHead {
  id: unknown;
  created: unknown;
  finishReason: unknown;
  basis: string;
  cost: NanoUsd;
}

export interface KeptTurn extends AnswerHead {
  model: string;
  response: JsonObject;
  usage: JsonObject;
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
        const kept = await findKept(store, key, caller.chargeId);
        const keepTurn = (turn: AnsweredTurn) => keep(parts, key, call, prefix, turn);
        return { sessionId, link: linkOf(key), prefix, kept, keep: keepTurn, release };
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
  turnCount: 0,
  content: [],
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
  { model, response, usage, totalTokens, head }: AnsweredTurn,
): Promise<void> {
  const { accountId = "", requestId = "", chargeId = "" } = caller ?? {};
  const turn = {
    accountId,
    model,
    requestId,
    messages: Buffer.from(messages).toString("utf8"),
    response: JSON.stringify(response),
    usage: JSON.stringify(usage),
    ...(chargeId === "" ? {} : { charge: { id: chargeId, answer: writeHead(head) } }),
    sizes: storedSizes(prefix, prompt, response, totalTokens),
  };
  if (await store.append(key, requestId, turn)) return;
  if ((await store.load(key))?.isDeleted) throw gone();
  log.error({ request_id: requestId }, "a session's lock was lost before its turn was stored");
  throw new GatewayError("internal_error", "The turn could not be stored. Retry it.");
}

function writeHead({ cost, ...rest }: AnswerHead): string {
  return JSON.stringify({ ...rest, cost: String(cost) });
}

/** A run of no idempotency key is the only one of its request. */
async function findKept(
  store: ConversationStore,
  key: ConversationKey,
  chargeId: string,
): Promise<KeptTurn | undefined> {
  if (chargeId === "") return undefined;
  const row = await store.findCharged(key, chargeId);
  if (row === undefined) return undefined;
  const { cost, ...head } = JSON.parse(row.answer) as Omit<AnswerHead, "cost"> & { cost: string };
  const response = JSON.parse(row.response) as JsonObject;
  const usage = JSON.parse(row.usage) as JsonObject;
  return { ...head, cost: BigInt(cost), model: row.model, response, usage };
}
