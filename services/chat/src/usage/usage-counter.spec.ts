import { expect, test } from "vitest";
import type { Chunk } from "../wires/chat/chunk.ts";
import { UsageCounter } from "./usage-counter.ts";

const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };

function chunkOf(index: number, content: string, finishReason: string | null = null): Chunk {
  const choices = [{ index, delta: { content }, finish_reason: finishReason }];
  return { forward: Buffer.from("{}"), head, usage: undefined, choices };
}

test("a stream that is cut finishes the choices that have not ended, and counts what was sent", () => {
  const counter = new UsageCounter(40n);
  counter.add(chunkOf(0, "eight ch"));
  counter.add(chunkOf(1, "done", "stop"));
  expect(counter.finished).toBe(false);
  const event = String(counter.endByLength(3n));
  const chunk = JSON.parse(event.slice("data: ".length));
  expect(chunk).toEqual({
    ...head,
    choices: [
      { index: 0, delta: {}, finish_reason: "length" },
      { index: 2, delta: {}, finish_reason: "length" },
    ],
  });
  expect([counter.finished, counter.head.finishReason]).toEqual([true, "length"]);
  expect(counter.usage("delivered_approx4")).toMatchObject({
    promptTokens: 10n,
    completionTokens: 3n,
    basis: "delivered_approx4",
  });
});
