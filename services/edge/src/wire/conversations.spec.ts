import { GatewayError, PeerError } from "@tollgate/core/errors";
import { expect, test, vi } from "vitest";
import type { Exchange } from "../exchange.ts";
import {
  type ConversationParts,
  deleteConversation,
  deleteConversations,
} from "./conversations.ts";

const away = new PeerError("unavailable", "chat is away");

/** A key with two conversations on record, one of which is deleted, and the parts that matter. */
function world(conversations: object) {
  const forget = vi.fn(async () => {});
  const parts = {
    authenticate: async () => ({ keyId: "key_1", accountId: "acct_1" }),
    records: {
      forget,
      async *conversationsOf() {
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
  const exchange = {
    res: { writeHead: () => ({ end }) },
    pathParameter: "A",
  } as unknown as Exchange;
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

test("deleting all that fails forgets the answers of what it had deleted", async () => {
  const { parts, exchange, forget, end } = world({
    deleteConversations: () => Promise.reject(away),
  });
  await expect(deleteConversations(parts)(exchange)).rejects.toBe(away);
  expect(forget.mock.calls).toEqual([["key_1", ["deleted"]]]);
  expect(end).not.toHaveBeenCalled();
});

test.each<[string, Error, unknown[]]>([
  ["that fails forgets its answers all the same", away, [["key_1", ["a"]]]],
  ["that is none forgets nothing", new GatewayError("conversation_not_found", "None."), []],
])("deleting a conversation %s", async (_, error, forgotten) => {
  const { parts, exchange, forget, end } = world({
    deleteConversation: () => Promise.reject(error),
  });
  await expect(deleteConversation(parts)(exchange)).rejects.toBe(error);
  expect(forget.mock.calls).toEqual(forgotten);
  expect(end).not.toHaveBeenCalled();
});
