import fc from "fast-check";
import { expect, test } from "vitest";
import { readUsageBlock } from "./usage.ts";

test("a provider's block is read with its totals and details", () => {
  const block = {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 60, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 5 },
  };
  expect(readUsageBlock(block)).toEqual({
    promptTokens: 100n,
    completionTokens: 20n,
    cachedTokens: 60n,
    tokens: [
      { dimension: "input", quantity: 40n },
      { dimension: "cached_input", quantity: 60n },
      { dimension: "output", quantity: 20n },
    ],
    reasoningTokens: 5n,
    toolCalls: [],
    basis: "provider",
    details: {
      prompt_tokens_details: block.prompt_tokens_details,
      completion_tokens_details: block.completion_tokens_details,
    },
    block,
  });
});

test("reasoning that a total counts beside the completion is added to it", () => {
  const details = { completion_tokens_details: { reasoning_tokens: 94 } };
  const block = { prompt_tokens: 32, completion_tokens: 9, total_tokens: 135, ...details };
  expect(readUsageBlock(block)).toMatchObject({
    promptTokens: 32n,
    completionTokens: 103n,
    reasoningTokens: 94n,
    details,
  });
});

test("the completion of a block in OpenAI's own form is as it says, with any reasoning", () => {
  const count = fc.nat({ max: 300 });
  fc.assert(
    fc.property(count, count, count, fc.boolean(), (prompt, completion, reasoning, isResponse) => {
      const total_tokens = prompt + completion;
      const details = { reasoning_tokens: reasoning };
      const block = isResponse
        ? { input_tokens: prompt, output_tokens: completion, output_tokens_details: details }
        : {
            prompt_tokens: prompt,
            completion_tokens: completion,
            completion_tokens_details: details,
          };
      for (const more of [{ total_tokens }, {}]) {
        const usage = readUsageBlock({ ...block, ...more });
        expect(usage?.completionTokens).toBe(BigInt(completion));
      }
    }),
  );
});

test("a response's block includes the tokens of the cache, with a total and without one", () => {
  const block = { input_tokens: 100, output_tokens: 5, cache_read_input_tokens: 80 };
  for (const more of [{}, { total_tokens: 105 }, { input_tokens_details: {} }]) {
    expect(readUsageBlock({ ...block, ...more })).toMatchObject({
      promptTokens: 100n,
      completionTokens: 5n,
    });
  }
  const input_tokens_details = { cached_tokens: 80 };
  expect(readUsageBlock({ ...block, input_tokens_details })).toMatchObject({
    promptTokens: 100n,
    cachedTokens: 80n,
  });
});

test.each([
  ["none", undefined],
  ["null", null],
  ["an array", [100, 20]],
  ["no prompt tokens", { completion_tokens: 1 }],
  ["a negative count", { prompt_tokens: -1, completion_tokens: 1 }],
  ["a count that is not a number", { prompt_tokens: "many", completion_tokens: 1 }],
])("a usage block with %s is not billed from", (_, block) => {
  expect(readUsageBlock(block)).toBeUndefined();
});

test.each([
  ["completion tokens", { prompt_tokens: 1 }],
  ["output tokens", { input_tokens: 1 }],
  ["completion tokens beyond its total", { prompt_tokens: 1, total_tokens: 1 }],
])("a usage block without %s reports the prompt only", (_, block) => {
  const prompt = { promptTokens: 1n, completionTokens: 0n, isPromptOnly: true };
  expect(readUsageBlock(block)).toMatchObject(prompt);
});

test("tokens of a side that is left out are the rest of the total", () => {
  const usage = readUsageBlock({ prompt_tokens: 1, total_tokens: 6 });
  expect(usage).toMatchObject({ promptTokens: 1n, completionTokens: 5n });
  expect(usage?.isPromptOnly).toBeUndefined();
  const other = readUsageBlock({ completion_tokens: 5, total_tokens: 6 });
  expect(other).toMatchObject({ promptTokens: 1n, completionTokens: 5n });
});

test("details that are not an object are dropped", () => {
  const block = { prompt_tokens: 1, completion_tokens: 1 };
  const usage = readUsageBlock({
    ...block,
    prompt_tokens_details: 7,
    completion_tokens_details: null,
  });
  expect(usage).toMatchObject({ details: {}, cachedTokens: 0n });
});
