import { GatewayError, PeerError } from "@tollgate/core/errors";
import { Admission } from "@tollgate/proto/tollgate/v1/caller";
import { expect, test, vi } from "vitest";
import type { RequestContext } from "../../http/request-context.ts";
import type { RouteDependencies } from "../dependencies.ts";
import { deleteConversation, deleteConversations, getConversation } from "./handler.ts";

const unreachable = new PeerError("unavailable", "chat is down");
const principal = {
  keyId: "key_1",
  accountId: "acct_1",
  channel: "",
  admission: Admission.STRICT,
  plan: "",
  models: [],
  isLimited: false,
  storesContent: false,
  endUserSalt: "",
  requestsPerMinute: undefined,
  keyHash: "",
};

/** A key with two conversations on record, one of which is deleted. */
function createFixture(conversations: object) {
  const forget = vi.fn(async () => {});
  const dependencies = {
    records: {
      forget,
      async *conversationsOf() {
        yield ["deleted", "alive"];
      },
    },
    services: {
      conversations: {
        deleteConversations: async () => ({}),
        findDeletedConversations: async () => ({ ids: ["deleted"] }),
        ...conversations,
      },
    },
  } as unknown as RouteDependencies;
  const end = vi.fn();
  const context = {
    req: { headers: {} },
    res: { writeHead: () => ({ end }) },
    pathParameter: "A",
  } as unknown as RequestContext;
  return { dependencies, context, forget, end };
}

test("deleting all conversations deletes the stored responses of deleted ones only", async () => {
  const { dependencies, context, forget, end } = createFixture({});
  await deleteConversations(dependencies)(context, principal);
  expect(forget.mock.calls).toEqual([["key_1", ["deleted"]]]);
  expect(end).toHaveBeenCalledOnce();
});

test("if it is unknown which conversations are deleted, no response to a turn is replayed", async () => {
  const findDeletedConversations = () => Promise.reject(unreachable);
  const { dependencies, context, forget, end } = createFixture({ findDeletedConversations });
  await deleteConversations(dependencies)(context, principal);
  expect(forget.mock.calls).toEqual([["key_1"]]);
  expect(end).toHaveBeenCalledOnce();
});

test("deleting all conversations deletes stored responses even if it fails", async () => {
  const { dependencies, context, forget, end } = createFixture({
    deleteConversations: () => Promise.reject(unreachable),
  });
  await expect(deleteConversations(dependencies)(context, principal)).rejects.toBe(unreachable);
  expect(forget.mock.calls).toEqual([["key_1", ["deleted"]]]);
  expect(end).not.toHaveBeenCalled();
});

test.each<[string, Error, unknown[]]>([
  ["that fails deletes its stored responses", unreachable, [["key_1", ["a"]]]],
  ["that is unknown deletes nothing", new GatewayError("conversation_not_found", "None."), []],
])("deleting a conversation %s", async (_, error, forgotten) => {
  const { dependencies, context, forget, end } = createFixture({
    deleteConversation: () => Promise.reject(error),
  });
  await expect(deleteConversation(dependencies)(context, principal)).rejects.toBe(error);
  expect(forget.mock.calls).toEqual(forgotten);
  expect(end).not.toHaveBeenCalled();
});

test("the cost of a conversation includes items that are left out", async () => {
  const { dependencies, context } = createFixture({
    getConversation: async () => ({
      conversation: { id: "a", model: "m", turnCount: 0 },
      turns: [],
      costs: [{ requestId: "req_2", costNanoUsd: 1_000n, quantity: 1n, lines: [] }],
      totalCostNanoUsd: 3_000n,
      hasMoreCosts: true,
    }),
  });
  const sent = vi.fn();
  const res = { writeHead: () => ({ end: sent }), end: sent, once() {}, writableLength: 0 };
  await getConversation(dependencies)(
    {
      ...context,
      req: { complete: true, headers: {} },
      res,
      headers: {},
    } as unknown as RequestContext,
    principal,
  );
  expect(JSON.parse(String(sent.mock.calls[0]?.[0]))).toMatchObject({
    cost_summary: { total_cost: 0.000003, items: [{ request_id: "req_2" }], has_more: true },
  });
});
