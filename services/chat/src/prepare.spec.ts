import { create } from "@bufbuild/protobuf";
import type { Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { ChatCallSchema } from "@tollgate/proto/tollgate/v1/chat";
import { vendors } from "@tollgate/providers";
import { expect, test } from "vitest";
import { contextOf, type PreparedCall } from "./prepare.ts";
import { ClientRequest } from "./wires/client-request.ts";

const slot = { provider: { kind: vendors.openai as ProviderKind } } as Slot;
const call = create(ChatCallSchema, { caller: { requestId: "req_0199a" } });

test("a response has the request's hex digits and whole seconds", () => {
  const client = new ClientRequest(call, () => ({}), new Set());
  const prepared = { client, model: { alias: "a" }, promptCharacters: 0n } as PreparedCall;
  const context = contextOf(prepared, slot, new Date(17_999));
  expect(context).toMatchObject({ alias: "a", id: "0199a", created: 17 });
});

test("a request is parsed where it is read, and once", () => {
  let parsed = 0;
  const client = new ClientRequest(
    call,
    () => {
      parsed += 1;
      return { model: "a" };
    },
    new Set(),
  );
  const prepared = { client, model: { alias: "a" }, promptCharacters: 0n } as PreparedCall;
  const context = contextOf(prepared, slot, new Date(0));
  expect(parsed).toBe(0);
  expect([context.client.json, client.json]).toEqual([{ model: "a" }, { model: "a" }]);
  expect(parsed).toBe(1);
});
