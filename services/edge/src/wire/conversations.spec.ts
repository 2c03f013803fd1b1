import { PeerError } from "@tollgate/kit/errors";
import { expect, test, vi } from "vitest";
import type { Exchange } from "../exchange.ts";
import { type ConversationParts, deleteConversations } from "./conversations.ts";

const away = new PeerError("unavailable", "chat is away");

/** A key with two conversations on record, one of which is deleted, and the parts that matter. */
function world(conversations: object) {
  const forget = vi.fn(async () => {});
  const parts = {
    authenticate: async () => ({ keyId: "key_1", accountId: "acct_1" }),
    records: {
      forget,
      async *placesOf() {
        yield ["deleted", "alive"];
      },
    },
    conversations: {
      deleteConversations: async () => ({}),
      findDeletedConversations: async () => ({ ids: ["deleted"] }),
      ...conversations,
    },
  } as unknown as ConversationParts;
  const end = vi.fn();
  const exchange = { res: { writeHead: () => ({ end }) }, place: "A" } as unknown as Exchange;
  return { parts, exchange, forget, end };
}

test("deleting all forgets the answers of what is deleted, and no other's", async () => {
  const { parts, exchange, forget, end } = world({});
  await deleteConversations(parts)(exchange);
  expect(forget.mock.calls).toEqual([["key_1", ["deleted"]]]);
  expect(end).toHaveBeenCalledOnce();
});

test("where nobody tells what is deleted, no answer of a turn is replayed", async () => {
  const findDeletedConversations = () => Promise.reject(away);
  const { parts, exchange, forget, end } = world({ findDeletedConversations });
  await deleteConversations(parts)(exchange);
  expect(forget.mock.calls).toEqual([["key_1"]]);
  expect(end).toHaveBeenCalledOnce();
});
