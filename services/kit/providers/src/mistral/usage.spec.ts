import { expect, test } from "vitest";
import { readUsageBlock } from "./usage.ts";

const counts = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const prompt_tokens_details = { cached_tokens: 64 };

test.each([
  ["the details", { prompt_tokens_details }],
  ["a member of its own", { num_cached_tokens: 64 }],
  [
    "a member of its own, beside empty details",
    { prompt_tokens_details: {}, num_cached_tokens: 64 },
  ],
  ["both", { prompt_tokens_details, num_cached_tokens: 64 }],
])("the tokens of the cache are read once from %s", (_, more) => {
  const block = { ...counts, ...more };
  expect(readUsageBlock(block)).toMatchObject({
    promptTokens: 100n,
    completionTokens: 20n,
    cachedTokens: 64n,
    tokens: [
      { dimension: "input", quantity: 36n },
      { dimension: "cached_input", quantity: 64n },
      { dimension: "output", quantity: 20n },
    ],
    block,
  });
});

test("there are never more cached tokens than the prompt has", () => {
  expect(readUsageBlock({ ...counts, num_cached_tokens: 500 })).toMatchObject({
    cachedTokens: 100n,
  });
});

test.each([
  undefined,
  null,
  [1],
  { completion_tokens: 1 },
  { prompt_tokens: -1, completion_tokens: 1 },
])("a block without the tokens of the prompt is not billed from: %j", (block) => {
  expect(readUsageBlock(block)).toBeUndefined();
});
