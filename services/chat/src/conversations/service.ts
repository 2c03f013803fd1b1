import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { GatewayError } from "@tollgate/core/errors";
import type { ConversationService } from "@tollgate/proto/tollgate/v1/conversation";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client, Implementation } from "@tollgate/rpc/implementation";
import { type ConversationKey, conversationKey, linkOf } from "./conversation-key.ts";
import type { Deletion } from "./deletion.ts";
import type { ConversationRow, ConversationStore, TurnRow } from "./store.ts";

export interface ConversationParts {
  store: ConversationStore;
  deletion: Deletion;
  ledger: Client<typeof LedgerService>;
}

/** Lists, reads and deletes stored conversations. */
export function implementConversations({
  store,
  deletion,
  ledger,
}: ConversationParts): Implementation<typeof ConversationService> {
  return {
    async listConversations({ caller, limit, offset }) {
      const keyId = caller?.keyId ?? "";
      const { rows, total } = await store.list(keyId, limit, offset);
      return { conversations: rows.map(toConversation), total };
    },
    async getConversation({ caller, id }) {
      const key = requireKey(caller?.keyId, id);
      const found = await store.read(key);
      if (found === undefined) throw notFound();
      const accountId = caller?.accountId ?? "";
      // The costs come from the ledger, so the read fails while the ledger is unavailable. The costs
      // that are stored with the turns would omit other entries of the conversation.
      const linked = { accountId, conversationId: linkOf(key) };
      const { entries, totalNanoUsd, hasMore } = await ledger.listConversationEntries(linked);
      return {
        conversation: toConversation(found.row),
        turns: found.turns.map(toTurn),
        costs: entries.map(
          ({ requestId, alias, unitType, quantity, amountNanoUsd, lines, recordedAt }) => ({
            requestId,
            model: alias,
            unitType,
            quantity,
            costNanoUsd: -amountNanoUsd,
            lines,
            ...(recordedAt === undefined ? {} : { createdAt: recordedAt }),
          }),
        ),
        totalCostNanoUsd: -totalNanoUsd,
        hasMoreCosts: hasMore,
      };
    },
    async countConversations({ keyIds }) {
      return { conversations: await store.count(keyIds) };
    },
    async deleteConversation({ caller, id }) {
      if (!(await deletion.deleteOne(requireKey(caller?.keyId, id)))) throw notFound();
      return {};
    },
    async deleteConversations({ caller }, { signal }) {
      await deletion.deleteAll(caller?.keyId ?? "", signal);
      return {};
    },
    async findDeletedConversations({ caller, ids }) {
      return { ids: await store.findDeleted(caller?.keyId ?? "", ids) };
    },
  };
}

/** Implements the service where conversations are not stored: every read finds none. */
export const noConversations: Implementation<typeof ConversationService> = {
  listConversations: async () => ({ conversations: [], total: 0n }),
  countConversations: async () => ({ conversations: 0 }),
  getConversation: async () => {
    throw notFound();
  },
  deleteConversation: async () => {
    throw notFound();
  },
  deleteConversations: async () => ({}),
  findDeletedConversations: async () => ({ ids: [] }),
};

function requireKey(keyId = "", id: string): ConversationKey {
  const key = conversationKey(keyId, id);
  if (key === undefined) throw notFound();
  return key;
}

function notFound(): GatewayError {
  return new GatewayError("conversation_not_found", "This conversation does not exist.");
}

function toConversation(row: ConversationRow) {
  return {
    id: row.id,
    model: row.model,
    turnCount: row.turn_count,
    createdAt: timestampFromDate(row.created_at),
    lastActiveAt: timestampFromDate(row.last_active_at),
  };
}

function toTurn(row: TurnRow) {
  const { index, messages, response, usage, model } = row;
  const createdAt = timestampFromDate(row.created_at);
  return { index, messages, response, usage, model, requestId: row.request_id, createdAt };
}
