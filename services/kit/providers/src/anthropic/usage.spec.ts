import { expect, test } from "vitest";
import { readUsageBlock } from "./usage.ts";

test("Anthropic's block has the totals that a chat completion has", () => {
  const block = { input_tokens: 5, cache_read_input_tokens: 60, output_tokens: 20 };
  expect(readUsageBlock({ ...block, cache_creation_input_tokens: 35 })).toMatchObject({
    promptTokens: 100n,
    completionTokens: 20n,
    cachedTokens: 60n,
    details: { prompt_tokens_details: { cached_tokens: 60 } },
  });
});

test("the tokens of the cache are not in those of the input, with a total and without one", () => {
  const block = { input_tokens: 100, output_tokens: 5, cache_read_input_tokens: 80 };
  for (const more of [{}, { total_tokens: 105 }, { input_tokens_details: {} }]) {
    expect(readUsageBlock({ ...block, ...more })).toMatchObject({
      promptTokens: 180n,
      completionTokens: 5n,
      cachedTokens: 80n,
    });
  }
});

test("a block without output, as a stream starts with, is of the prompt only", () => {
  expect(readUsageBlock({ input_tokens: 7, cache_read_input_tokens: 3 })).toMatchObject({
    promptTokens: 10n,
    completionTokens: 0n,
    isPromptOnly: true,
  });
});

test("summaries of the conversation are added, which Anthropic's own sums do not have", () => {
  const sums = { input_tokens: 10, cache_read_input_tokens: 20, output_tokens: 5 };
  const cache_creation = { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 };
  const summary = { type: "compaction", input_tokens: 1_000, cache_creation, output_tokens: 50 };
  const usage = readUsageBlock({ ...sums, iterations: [{ type: "message", ...sums }, summary] });
  expect(usage).toMatchObject({ promptTokens: 1_037n, completionTokens: 55n, cachedTokens: 20n });
  expect(usage?.tokens).toEqual([
    { dimension: "input", quantity: 1_010n },
    { dimension: "cached_input", quantity: 20n },
    { dimension: "cache_write", quantity: 3n },
    { dimension: "cache_write_1h", quantity: 4n },
    { dimension: "output", quantity: 55n },
  ]);
});

test.each([
  ["none", undefined],
  ["null", null],
  ["an array", [100, 20]],
  ["no input tokens", { output_tokens: 1 }],
])("a usage block with %s is not billed from", (_, block) => {
  expect(readUsageBlock(block)).toBeUndefined();
});
