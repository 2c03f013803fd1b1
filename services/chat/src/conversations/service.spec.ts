import { GatewayError, PeerError } from "@tollgate/core/errors";
import { expect, test, vi } from "vitest";
import { type ConversationParts, implementConversations } from "./service.ts";

const id = "0199aaaa-0000-7000-8000-000000000000";
const at = new Date(0);
const row = { id, model: "m", turn_count: 1, created_at: at, last_active_at: at };
const turn = {
  index: 0,
  messages: "[]",
  response: "{}",
  usage: "{}",
  model: "m",
  request_id: "req_1",
  created_at: at,
};

/** A conversation, and a ledger that is away. */
function world(found: object | undefined) {
  const away = new PeerError("unavailable", "the ledger is away");
  const listConversationEntries = vi.fn(() => Promise.reject(away));
  const parts = {
    store: { read: async () => found },
    deletion: {},
    ledger: { listConversationEntries },
  } as unknown as ConversationParts;
  const { getConversation } = implementConversations(parts);
  const request = { caller: { keyId: "key_1", accountId: "acct_1" }, id };
  type Handler = (asked: object, context: object) => Promise<unknown>;
  return { read: () => (getConversation as unknown as Handler)(request, {}), away };
}

test("a conversation is not told without what the ledger says that it cost", async () => {
  const { read, away } = world({ row, turns: [turn] });
  await expect(read()).rejects.toBe(away);
});

test("one that is not there is not found, with or without a ledger", async () => {
  const { read } = world(undefined);
  await expect(read()).rejects.toThrow(GatewayError);
  await expect(read()).rejects.toMatchObject({ code: "conversation_not_found" });
});
