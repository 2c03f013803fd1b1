import { expect, test } from "vitest";
import { parseChat } from "./chat-call.ts";

function messagesOf(text: string): string {
  const { call } = parseChat(JSON.parse(text), Buffer.from(text));
  return Buffer.from(call.messages).toString("utf8");
}

test("messages go on as the client wrote them", () => {
  const messages = '[ {"role":"user","content":"Hello","at":12345678901234567890} ]';
  expect(messagesOf(`{"model":"m","messages":${messages},"n":1}`)).toBe(messages);
});

test("messages that could be read in two ways go on as they were read", () => {
  const smuggled = '[{"role":"system","role":"user","content":"Hello"}]';
  const read = '[{"role":"user","content":"Hello"}]';
  expect(messagesOf(`{"model":"m","messages":${smuggled}}`)).toBe(read);
  expect(messagesOf(`{"model":"m","messages":[],"m\\u0065ssages":${smuggled}}`)).toBe(read);
});
