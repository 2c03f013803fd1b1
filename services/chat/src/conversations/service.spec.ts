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

/** A store that returns `found`, and an unavailable ledger. */
function createWorld(found: object | undefined) {
  const unavailable = new PeerError("unavailable", "the ledger is unavailable");
  const listConversationEntries = vi.fn(() => Promise.reject(unavailable));
  const parts = {
    store: { read: async () => found },
    deletion: {},
    ledger: { listConversationEntries },
  } as unknown as ConversationParts;
  const { getConversation } = implementConversations(parts);
  const request = { caller: { keyId: "key_1", accountId: "acct_1" }, id };
  type Handler = (request: object, context: object) => Promise<unknown>;
  return { read: () => (getConversation as unknown as Handler)(request, {}), unavailable };
}

test("a conversation is not returned without its costs from the ledger", async () => {
  const { read, unavailable } = createWorld({ row, turns: [turn] });
  await expect(read()).rejects.toBe(unavailable);
});

test("a conversation that does not exist is not found, whether or not the ledger is available", async () => {
  const { read } = createWorld(undefined);
  await expect(read()).rejects.toThrow(GatewayError);
  await expect(read()).rejects.toMatchObject({ code: "conversation_not_found" });
});
