import { create } from "@bufbuild/protobuf";
import type { Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { ChatCallSchema } from "@tollgate/proto/tollgate/v1/chat";
import { vendors } from "@tollgate/providers";
import { expect, test } from "vitest";
import { ClientRequest } from "./client-request.ts";
import { CallFrame } from "./response-frame.ts";

const slot = { provider: { kind: vendors.openai as ProviderKind } } as Slot;

test("a response has the request's hex digits and whole seconds", () => {
  const call = create(ChatCallSchema, { caller: { requestId: "req_0199a" } });
  const client = new ClientRequest(call, () => ({}));
  const frame = new CallFrame(client, slot, {
    alias: "a",
    promptCharacters: 0n,
    now: new Date(17_999),
  });
  expect(frame).toMatchObject({ id: "0199a", created: 17 });
});

test("a request is parsed where it is read, and once", () => {
  let parsed = 0;
  const client = new ClientRequest(create(ChatCallSchema), () => {
    parsed += 1;
    return { model: "a" };
  });
  const frame = new CallFrame(client, slot, { alias: "a", promptCharacters: 0n, now: new Date(0) });
  expect(parsed).toBe(0);
  expect([frame.request, client.json]).toEqual([{ model: "a" }, { model: "a" }]);
  expect(parsed).toBe(1);
});
