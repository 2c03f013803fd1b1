import { create } from "@bufbuild/protobuf";
import { GatewayError } from "@tollgate/core/errors";
import { usdJson } from "@tollgate/core/money";
import { type Caller, CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type {
  Conversation,
  ConversationService,
  GetConversationResponse,
  Turn,
} from "@tollgate/proto/tollgate/v1/conversation";
import type { Client } from "@tollgate/rpc/implementation";
import type { z } from "zod";
import { jsonType, noHeaders, writeJson, writeWhole } from "../answer.ts";
import type { Authenticate } from "../auth.ts";
import type { Exchange, Route } from "../exchange.ts";
import type { IdempotencyRecords } from "../idempotency/records.ts";
import { queryOf } from "../query.ts";
import {
  type conversationSchema,
  type costsSchema,
  defaultLimit,
  type listSchema,
  maxLimit,
} from "./conversation-operations.ts";
import { toUnixSeconds } from "./unix-seconds.ts";

export interface ConversationParts {
  authenticate: Authenticate;
  conversations: Client<typeof ConversationService>;
  /** Their turns' answers are kept for retries. */
  records: Pick<IdempotencyRecords, "forget" | "conversationsOf">;
}

/**
 * Longer than the wait for a connection and the statement may take together: what is told as failed
 * is not done later.
 */
const oneDeletionTimeoutMs = 35_000;
/** The longest that deleting all of a key's conversations may take. */
const deletionTimeoutMs = 5 * 60 * 1_000;

/** GET /v1/conversations: the key's live ones, the most recently active first. Never a 400. */
export function listConversations({ authenticate, conversations }: ConversationParts): Route {
  return async (exchange) => {
    const caller = await callerOf(authenticate, exchange);
    const query = queryOf(exchange.req);
    const asked = wholeNumber(query.get("limit"));
    const limit = asked === undefined || asked <= 0 ? defaultLimit : Math.min(asked, maxLimit);
    const offset = Math.max(0, wholeNumber(query.get("offset")) ?? 0);
    const { signal } = exchange;
    const request = { caller, limit, offset: BigInt(offset) };
    const { conversations: rows, total } = await conversations.listConversations(request, {
      signal,
    });
    const data = rows.map(toItem);
    const list: z.infer<typeof listSchema> = {
      object: "list",
      data,
      total: Number(total),
      limit,
      offset,
    };
    writeJson(exchange, list);
  };
}

/** GET /v1/conversations/{id}: its turns in order, and what they cost. */
export function getConversation({ authenticate, conversations }: ConversationParts): Route {
  return async (exchange) => {
    const caller = await callerOf(authenticate, exchange);
    const { signal } = exchange;
    const found = await conversations.getConversation(
      { caller, id: exchange.pathParameter ?? "" },
      { signal },
    );
    const body = Buffer.from(detailOf(found));
    writeWhole(exchange, { contentType: jsonType, body }, noHeaders);
  };
}

/**
 * DELETE /v1/conversations/{id}: for ever; again is no error. Nothing of its content stays, so that
 * a retry of one of its turns is no longer answered, and finds its conversation deleted.
 */
export function deleteConversation(parts: ConversationParts): Route {
  const { authenticate, conversations, records } = parts;
  return async (exchange) => {
    const caller = await callerOf(authenticate, exchange);
    const { pathParameter: id = "" } = exchange;
    const forget = () => records.forget(caller.keyId, [id.toLowerCase()]);
    try {
      await conversations.deleteConversation({ caller, id }, { timeoutMs: oneDeletionTimeoutMs });
    } catch (error) {
      // It may be deleted all the same, where only the word of it was lost.
      if (!isUnknown(error)) await forget();
      throw error;
    }
    await forget();
    exchange.res.writeHead(204, { ...exchange.headers }).end();
  };
}

/** DELETE /v1/conversations: every live one of the key. */
export function deleteConversations(parts: ConversationParts): Route {
  const { authenticate, conversations } = parts;
  return async (exchange) => {
    const caller = await callerOf(authenticate, exchange);
    try {
      await conversations.deleteConversations({ caller }, { timeoutMs: deletionTimeoutMs });
    } finally {
      // Some or all may be deleted also where it failed.
      await forgetDeleted(parts, caller);
    }
    exchange.res.writeHead(204, { ...exchange.headers }).end();
  };
}

function isUnknown(error: unknown): boolean {
  return error instanceof GatewayError && error.code === "conversation_not_found";
}

/**
 * Forgets the answers to turns of all the key's conversations that are deleted by now, and no
 * other's: one that was begun meanwhile lives on, and so do the answers to its turns.
 */
async function forgetDeleted(
  { conversations, records }: ConversationParts,
  caller: Caller,
): Promise<void> {
  const { keyId } = caller;
  try {
    for await (const linked of records.conversationsOf(keyId)) {
      if (linked.length === 0) return;
      const { ids } = await conversations.findDeletedConversations({ caller, ids: linked });
      await records.forget(keyId, ids);
    }
  } catch {
    // Which ones are deleted cannot be told, so that none of their answers may be replayed.
    await records.forget(keyId);
  }
}

async function callerOf(authenticate: Authenticate, exchange: Exchange) {
  const { keyId, accountId } = await authenticate(exchange);
  return create(CallerSchema, { requestId: exchange.requestId, keyId, accountId });
}

/**
 * Undefined for what is no whole number. One that is too large to be counted with is the largest.
 */
function wholeNumber(text: string | null): number | undefined {
  if (text === null || !/^[+-]?\d+$/.test(text)) return undefined;
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number(text), Number.MAX_SAFE_INTEGER));
}

function toItem({
  id,
  createdAt,
  lastActiveAt,
  model,
  turnCount,
}: Conversation): z.infer<typeof conversationSchema> {
  return {
    id,
    object: "conversation",
    created_at: toUnixSeconds(createdAt),
    last_active_at: toUnixSeconds(lastActiveAt),
    model,
    turn_count: turnCount,
  };
}

function detailOf({ conversation, turns, costs }: GetConversationResponse): string {
  if (conversation === undefined) throw new Error("a conversation that was found is told");
  const items = costs.map((cost) => ({
    request_id: cost.requestId,
    model: cost.model,
    unit_type: cost.unitType,
    quantity: Number(cost.quantity),
    cost: usdJson(cost.costNanoUsd),
    created_at: toUnixSeconds(cost.createdAt),
  }));
  const total = costs.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n);
  const summary: z.infer<typeof costsSchema> = {
    currency: "USD",
    total_cost: usdJson(total),
    items,
  };
  const head = JSON.stringify(toItem(conversation)).slice(0, -1);
  const all = turns.map(turnJson).join(",");
  return `${head},"turns":[${all}],"cost_summary":${JSON.stringify(summary)}}`;
}

/** A turn's parts are JSON already, as they came and went. */
function turnJson({ index, messages, response, model, requestId, createdAt, usage }: Turn): string {
  const own = { index, model, request_id: requestId, created_at: toUnixSeconds(createdAt) };
  const head = JSON.stringify(own).slice(0, -1);
  return `${head},"messages":${messages},"response":${response},"usage":${usage}}`;
}
