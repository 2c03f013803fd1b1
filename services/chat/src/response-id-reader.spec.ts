import { expect, test, vi } from "vitest";
import { ResponseIdReader } from "./response-id-reader.ts";
import { chatWire } from "./wires/chat/wire.ts";
import { messagesWire } from "./wires/messages/wire.ts";
import { responsesWire } from "./wires/responses/wire.ts";

function identified(wire: typeof chatWire, isNative: boolean, ...values: object[]) {
  const identify = vi.fn();
  const reader = new ResponseIdReader({ identify }, wire, isNative, { id: "0af" });
  for (const value of values) reader.read({ ...value });
  return identify.mock.calls.map(([ids]) => ids);
}

test("a client of the chat wire is sent the provider's id, or ours where it has none", () => {
  const ids = { provider: "chatcmpl-9", client: "chatcmpl-9" };
  expect(identified(chatWire, false, { id: "chatcmpl-9" }, { id: "other" })).toEqual([ids]);
  expect(identified(chatWire, true, {})).toEqual([{ provider: "", client: "chatcmpl-0af" }]);
});

test("a client of an agents' wire is sent the provider's id where the provider speaks the wire", () => {
  expect(identified(messagesWire, true, { message: { id: "msg_9" } })).toEqual([
    { provider: "msg_9", client: "msg_9" },
  ]);
  expect(identified(responsesWire, true, { response: { id: "resp_9" } })).toEqual([
    { provider: "resp_9", client: "resp_9" },
  ]);
  expect(identified(messagesWire, false, { id: "gen-9" })).toEqual([
    { provider: "gen-9", client: "msg_0af" },
  ]);
  expect(identified(responsesWire, false, { id: "gen-9" })).toEqual([
    { provider: "gen-9", client: "resp_0af" },
  ]);
});
