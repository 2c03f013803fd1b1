import { expect, test } from "vitest";
import { readUsage } from "./usage.ts";

test("Anthropic's block has the totals that a chat completion has", () => {
  const block = { input_tokens: 5, cache_read_input_tokens: 60, output_tokens: 20 };
  expect(readUsage({ ...block, cache_creation_input_tokens: 35 })).toMatchObject({
    promptTokens: 100n,
    completionTokens: 20n,
    cachedTokens: 60n,
    details: { prompt_tokens_details: { cached_tokens: 60 } },
  });
});

test("the tokens of the cache are not in those of the input, with a total and without one", () => {
  const block = { input_tokens: 100, output_tokens: 5, cache_read_input_tokens: 80 };
  for (const more of [{}, { total_tokens: 105 }, { input_tokens_details: {} }]) {
    expect(readUsage({ ...block, ...more })).toMatchObject({
      promptTokens: 180n,
      completionTokens: 5n,
      cachedTokens: 80n,
    });
  }
});

test("a block without output, as a stream starts with, is of the prompt only", () => {
  expect(readUsage({ input_tokens: 7, cache_read_input_tokens: 3 })).toMatchObject({
    promptTokens: 10n,
    completionTokens: 0n,
    isPromptOnly: true,
  });
});

test.each([
  ["none", undefined],
  ["null", null],
  ["an array", [100, 20]],
  ["no input tokens", { output_tokens: 1 }],
])("a usage block with %s is not billed from", (_, block) => {
  expect(readUsage(block)).toBeUndefined();
});
