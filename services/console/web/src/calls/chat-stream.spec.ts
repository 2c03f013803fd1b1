import { expect, test } from "vitest";
import { ChatFailure, eventDataOf, readChunk } from "./chat-stream.ts";

/** Returns a body that arrives in pieces of so many bytes. */
function bodyOf(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size)
        controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
}

test.each([1, 3, 1_000])("events are found in a body of pieces of %i bytes", async (size) => {
  const text = 'data: {"a":"é"}\n\n: ping\n\nevent: x\ndata: one\ndata: two\n\ndata: [DONE]\n\n';
  const found: string[] = [];
  for await (const data of eventDataOf(bodyOf(text, size))) found.push(data);
  expect(found).toEqual(['{"a":"é"}', "one\ntwo", "[DONE]"]);
});

test("a chunk has text, thinking, or the usage with its cost to the last zero", () => {
  const delta = (more: object) => JSON.stringify({ choices: [{ delta: more }] });
  expect([...readChunk(delta({ role: "assistant" }))]).toEqual([]);
  expect([...readChunk(delta({ content: "Hi" }))]).toEqual([{ kind: "text", text: "Hi" }]);
  expect([...readChunk(delta({ reasoning_content: "Hm" }))]).toEqual([
    { kind: "thinking", text: "Hm" },
  ]);
  const usage = '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":9,"cost":0.000120}}';
  expect([...readChunk(usage)]).toEqual([
    { kind: "usage", usage: { promptTokens: 3, completionTokens: 9, cost: "0.000120" } },
  ]);
});

test("an error in a stream is the failure of the request", () => {
  const data = '{"error":{"message":"The provider broke off.","code":"upstream_rejected"}}';
  expect(() => [...readChunk(data)]).toThrow(new ChatFailure("The provider broke off."));
});
