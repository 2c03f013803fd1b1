import { expect, test } from "vitest";
import { UsageCounter } from "./usage-counter.ts";

function chunkOf(index: number, content: string, finishReason: string | null = null) {
  const choices = [{ index, delta: { content }, finish_reason: finishReason }];
  return { usage: undefined, choices };
}

test("a stream that is cut finishes the choices that have not ended, and counts what was sent", () => {
  const counter = new UsageCounter(40n);
  counter.add(chunkOf(0, "eight ch"), true);
  counter.add(chunkOf(1, "done", "stop"), true);
  expect(counter.finished).toBe(false);
  expect(counter.endByLength(3n)).toEqual([
    { index: 0, delta: {}, finish_reason: "length" },
    { index: 2, delta: {}, finish_reason: "length" },
  ]);
  expect(counter.finished).toBe(true);
  expect(counter.usage("delivered_approx4")).toMatchObject({
    promptTokens: 10n,
    completionTokens: 3n,
    basis: "delivered_approx4",
  });
});
