import { readUsageBlock } from "@tollgate/providers/anthropic/usage";
import { expect, test } from "vitest";
import { countedUsage } from "./usage.ts";
import { UsageCounter } from "./usage-counter.ts";

function chunkOf(index: number, content: string, finishReason: string | null = null) {
  const choices = [{ index, delta: { content }, finish_reason: finishReason }];
  return { usage: undefined, choices };
}

test("a stream that is cut finishes the choices that have not ended", () => {
  const counter = new UsageCounter();
  counter.add(chunkOf(0, "eight ch"));
  counter.add(chunkOf(1, "done", "stop"));
  expect(counter.finished).toBe(false);
  expect(counter.endByLength(3n)).toEqual([
    { index: 0, delta: {}, finish_reason: "length" },
    { index: 2, delta: {}, finish_reason: "length" },
  ]);
  expect(counter.finished).toBe(true);
});

test("the last report of each dimension counts, and what is delivered after it is not reported", () => {
  const counter = new UsageCounter();
  const report = (block: object) => counter.add({ usage: readUsageBlock(block), choices: [] });
  expect(counter.complete).toBeUndefined();
  report({ input_tokens: 10 });
  expect(counter.complete).toMatchObject({ promptTokens: 10n, completionTokens: 0n });
  counter.add(chunkOf(0, "twelve chars"));
  expect([counter.complete, counter.unreportedShare]).toEqual([undefined, 1]);
  report({ input_tokens: 11, output_tokens: 3 });
  expect(counter.complete).toMatchObject({ promptTokens: 11n, completionTokens: 3n });
  counter.add(chunkOf(0, "four"));
  expect([counter.complete, counter.unreportedShare]).toEqual([undefined, 0.25]);
  report({ input_tokens: 12 });
  expect(counter.reported).toMatchObject({ promptTokens: 11n, completionTokens: 3n });
});

test("text of reasoning is told from other text", () => {
  const counter = new UsageCounter();
  counter.add({ usage: undefined, choices: [{ delta: { content: "a", reasoning_content: "" } }] });
  expect(counter.showsReasoning).toBe(false);
  counter.add({ usage: undefined, choices: [{ delta: { reasoning: "thinks" } }] });
  expect(counter.showsReasoning).toBe(true);
  expect(counter.text.length).toBe("athinks".length);
});

test("calls of tools are counted, unless the provider reports their number", () => {
  const counter = new UsageCounter();
  for (const [tool, quantity] of [
    ["web_search", 1n],
    ["web_search", 1n],
    ["web_search", -1n],
    ["mcp", 1n],
    ["image_generation", -1n],
  ] as const) {
    counter.add({ usage: undefined, choices: [], toolCalls: { tool, quantity } });
  }
  const counted = [
    { tool: "web_search", quantity: 1n },
    { tool: "mcp", quantity: 1n },
  ];
  expect(counter.withTools(countedUsage(1n, 1n)).toolCalls).toEqual(counted);
  const reported = [{ tool: "web_search", quantity: 0n }];
  counter.add({ usage: { ...countedUsage(1n, 1n), toolCalls: reported }, choices: [] });
  expect(counter.complete?.toolCalls).toEqual([...reported, counted[1]]);
});
