import { GatewayError } from "@tollgate/core/errors";
import { exactUsdJson, usdJson } from "@tollgate/core/money";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import type {
  Conversation,
  GetConversationResponse,
  Turn,
} from "@tollgate/proto/tollgate/v1/conversation";
import type { z } from "zod";
import { callerOf } from "../../auth/caller.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import { queryOf } from "../../http/query.ts";
import { jsonType, writeJson, writeResponse } from "../../http/response.ts";
import { toUnixSeconds } from "../../http/unix-seconds.ts";
import type { RouteDependencies } from "../dependencies.ts";
import {
  type conversationSummarySchema,
  type costsSchema,
  defaultLimit,
  type listSchema,
  maxLimit,
} from "./schema.ts";

/**
 * Longer than the service's wait for a connection and its statement together, so that a deletion
 * that is reported as failed does not happen later.
 */
const oneDeletionTimeoutMs = 35_000;
/** Deleting all conversations of a key is cancelled after this time. */
const deletionTimeoutMs = 5 * 60 * 1_000;

/** GET /v1/conversations. Corrects invalid query parameters. */
export function listConversations({ services }: RouteDependencies): KeyedHandler {
  return async (context, principal) => {
    const caller = callerOf(context, principal);
    const query = queryOf(context.req);
    const wanted = integerOf(query.get("limit"));
    const limit = wanted === undefined || wanted <= 0 ? defaultLimit : Math.min(wanted, maxLimit);
    const offset = Math.max(0, integerOf(query.get("offset")) ?? 0);
    const { signal } = context;
    const request = { caller, limit, offset: BigInt(offset) };
    const { conversations, total } = await services.conversations.listConversations(request, {
      signal,
    });
    const list: z.infer<typeof listSchema> = {
      object: "list",
      data: conversations.map(toItem),
      total: Number(total),
      limit,
      offset,
    };
    writeJson(context, list);
  };
}

/** GET /v1/conversations/{id} */
export function getConversation({ services }: RouteDependencies): KeyedHandler {
  return async (context, principal) => {
    const request = {
      caller: callerOf(context, principal),
      id: context.pathParameter ?? "",
    };
    const { signal } = context;
    const found = await services.conversations.getConversation(request, { signal });
    const body = Buffer.from(toDetailJson(found));
    writeResponse(context, { contentType: jsonType, body });
  };
}

/**
 * DELETE /v1/conversations/{id}. Also deletes the stored responses of its turns, so a retry of a
 * turn is not replayed, and finds its conversation deleted.
 */
export function deleteConversation({ services, records }: RouteDependencies): KeyedHandler {
  return async (context, principal) => {
    const caller = callerOf(context, principal);
    const { pathParameter: id = "" } = context;
    const forget = () => records.forget(caller.keyId, [id.toLowerCase()]);
    const options = { timeoutMs: oneDeletionTimeoutMs };
    try {
      await services.conversations.deleteConversation({ caller, id }, options);
    } catch (error) {
      // The conversation may be deleted, and only the response lost.
      if (!isNotFound(error)) await forget();
      throw error;
    }
    await forget();
    context.res.writeHead(204, { ...context.headers }).end();
  };
}

/** DELETE /v1/conversations */
export function deleteConversations(dependencies: RouteDependencies): KeyedHandler {
  const { conversations } = dependencies.services;
  return async (context, principal) => {
    const caller = callerOf(context, principal);
    try {
      await conversations.deleteConversations({ caller }, { timeoutMs: deletionTimeoutMs });
    } finally {
      // After a failure, some or all conversations may be deleted.
      await forgetDeleted(dependencies, caller);
    }
    context.res.writeHead(204, { ...context.headers }).end();
  };
}

function isNotFound(error: unknown): boolean {
  return error instanceof GatewayError && error.code === "conversation_not_found";
}

/**
 * Deletes the stored responses to turns of the key's deleted conversations. Those of conversations
 * that were started meanwhile remain.
 */
async function forgetDeleted(
  { services, records }: RouteDependencies,
  caller: Caller,
): Promise<void> {
  const { keyId } = caller;
  try {
    for await (const linked of records.conversationsOf(keyId)) {
      if (linked.length === 0) return;
      const request = { caller, ids: linked };
      const { ids } = await services.conversations.findDeletedConversations(request);
      await records.forget(keyId, ids);
    }
  } catch {
    // It is unknown which conversations are deleted, so no response to a turn may be replayed.
    await records.forget(keyId);
  }
}

/** Parses an integer, and clamps it to the safe range. Returns undefined for any other text. */
function integerOf(text: string | null): number | undefined {
  if (text === null || !/^[+-]?\d+$/.test(text)) return undefined;
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number(text), Number.MAX_SAFE_INTEGER));
}

function toItem({
  id,
  createdAt,
  lastActiveAt,
  model,
  turnCount,
}: Conversation): z.infer<typeof conversationSummarySchema> {
  return {
    id,
    object: "conversation",
    created_at: toUnixSeconds(createdAt),
    last_active_at: toUnixSeconds(lastActiveAt),
    model,
    turn_count: turnCount,
  };
}

function toDetailJson(found: GetConversationResponse): string {
  const { conversation, turns, costs } = found;
  if (conversation === undefined) throw new Error("the response has no conversation");
  const items = costs.map((cost) => ({
    request_id: cost.requestId,
    model: cost.model,
    unit_type: cost.unitType,
    quantity: Number(cost.quantity),
    cost: usdJson(cost.costNanoUsd),
    lines: cost.lines.map(({ dimension, quantity, amountNanoUsd }) => ({
      dimension,
      quantity: Number(quantity),
      cost: exactUsdJson(amountNanoUsd),
    })),
    created_at: toUnixSeconds(cost.createdAt),
  }));
  const summary: z.infer<typeof costsSchema> = {
    currency: "USD",
    total_cost: usdJson(found.totalCostNanoUsd),
    items,
    has_more: found.hasMoreCosts,
  };
  const head = JSON.stringify(toItem(conversation)).slice(0, -1);
  const turnsJson = turns.map(toTurnJson).join(",");
  return `${head},"turns":[${turnsJson}],"cost_summary":${JSON.stringify(summary)}}`;
}

/** The messages, response and usage of a turn are raw JSON. */
function toTurnJson(turn: Turn): string {
  const { index, messages, response, model, requestId, createdAt, usage } = turn;
  const own = { index, model, request_id: requestId, created_at: toUnixSeconds(createdAt) };
  const head = JSON.stringify(own).slice(0, -1);
  return `${head},"messages":${messages},"response":${response},"usage":${usage}}`;
}
