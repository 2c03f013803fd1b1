import { expect, test } from "vitest";
import { readUsageBlock } from "./usage.ts";

test("Bedrock's block has the totals that a chat completion has", () => {
  const block = { inputTokens: 5, outputTokens: 20, totalTokens: 120 };
  const cache = { cacheReadInputTokens: 60, cacheWriteInputTokens: 35 };
  expect(readUsageBlock({ ...block, ...cache })).toMatchObject({
    promptTokens: 100n,
    completionTokens: 20n,
    cachedTokens: 60n,
    details: { prompt_tokens_details: { cached_tokens: 60 } },
  });
});

test.each([
  ["none", undefined],
  ["null", null],
  ["an array", [100, 20]],
  ["no output tokens of Bedrock", { inputTokens: 1, totalTokens: 2 }],
])("a usage block with %s is not billed from", (_, block) => {
  expect(readUsageBlock(block)).toBeUndefined();
});
