import { expect, test } from "vitest";
import { readUsageBlock } from "./usage.ts";

test("Gemini's block has the totals that a chat completion has", () => {
  const block = { promptTokenCount: 100, candidatesTokenCount: 20, thoughtsTokenCount: 5 };
  expect(readUsageBlock({ ...block, cachedContentTokenCount: 60 })).toMatchObject({
    promptTokens: 100n,
    completionTokens: 25n,
    cachedTokens: 60n,
    reasoningTokens: 5n,
    details: {
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 5 },
    },
  });
});

test.each([
  ["none", undefined],
  ["null", null],
  ["an array", [100, 20]],
  ["no prompt tokens of Gemini", { candidatesTokenCount: 1, totalTokenCount: 1 }],
])("a usage block with %s is not billed from", (_, block) => {
  expect(readUsageBlock(block)).toBeUndefined();
});

test("a block that says nothing of the output is of the prompt only", () => {
  const prompt = { promptTokenCount: 9, totalTokenCount: 9 };
  expect(readUsageBlock(prompt)).toMatchObject({ promptTokens: 9n, isPromptOnly: true });
  expect(readUsageBlock({ ...prompt, candidatesTokenCount: 0 })).not.toHaveProperty("isPromptOnly");
  expect(readUsageBlock({ ...prompt, thoughtsTokenCount: 2 })).not.toHaveProperty("isPromptOnly");
});
