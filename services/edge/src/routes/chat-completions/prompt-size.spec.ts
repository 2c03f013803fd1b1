import { expect, test } from "vitest";
import { measurePrompt } from "./prompt-size.ts";

const messages = [{ role: "user", content: "é😀" }];

test("the size counts the bytes and characters of the messages' text", () => {
  expect(measurePrompt({ messages })).toMatchObject({
    textBytes: 4n + 6n,
    textCharacters: 2n,
    unstoredTextBytes: 0n,
    unstoredTextCharacters: 0n,
    messages: 1,
  });
});

test("ids and type names count as bytes, and not as characters", () => {
  const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
  const conversation = [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "seen" }] },
  ];
  const { textBytes, textCharacters } = measurePrompt({ messages: conversation });
  expect(textCharacters).toBe(BigInt("look{}seen".length));
  const labels = "assistantcall_1functiontoolcall_1text";
  expect(textBytes).toBe((textCharacters ?? 0n) + BigInt(labels.length));
});

test("tools and the response format are counted separately", () => {
  const alone = measurePrompt({ messages });
  const tools = [{ type: "function", function: { name: "é" } }];
  const format = { type: "json_object" };
  const both = measurePrompt({ messages, tools, response_format: format });
  const json = JSON.stringify(tools) + JSON.stringify(format);
  expect(both.unstoredTextBytes).toBe(BigInt(Buffer.byteLength(json)));
  expect(both.unstoredTextCharacters).toBe(BigInt(json.length));
  expect(both.textBytes).toBe((alone.textBytes ?? 0n) + (both.unstoredTextBytes ?? 0n));
  expect(both.textCharacters).toBe(
    (alone.textCharacters ?? 0n) + (both.unstoredTextCharacters ?? 0n),
  );
});
