import { expect, test } from "vitest";
import { readUsageBlock } from "./usage.ts";

const completion_tokens_details = { reasoning_tokens: 94 };
const counts = { prompt_tokens: 32, completion_tokens: 9, completion_tokens_details };

test.each([
  ["with a total that includes it", { total_tokens: 135 }],
  ["with a total that leaves it out", { total_tokens: 41 }],
  ["with another total", { total_tokens: 140 }],
  ["without a total", {}],
])("reasoning is counted beside the completion: %s", (_, more) => {
  const block = { ...counts, ...more };
  expect(readUsageBlock(block)).toMatchObject({
    promptTokens: 32n,
    completionTokens: 103n,
    reasoningTokens: 94n,
    details: { completion_tokens_details },
    block,
  });
});

test.each([
  ["with a total", { total_tokens: 135 }],
  ["without a total", {}],
])("a response's output includes reasoning: %s", (_, more) => {
  const output_tokens_details = { reasoning_tokens: 94 };
  const block = { input_tokens: 32, output_tokens: 103, output_tokens_details, ...more };
  expect(readUsageBlock(block)).toMatchObject({
    promptTokens: 32n,
    completionTokens: 103n,
    reasoningTokens: 94n,
    block,
  });
});

test("the calls of xAI's tools are read under the catalog's names, those of none, too", () => {
  const server_side_tool_usage_details = {
    web_search_calls: 2,
    x_search_calls: 0,
    code_interpreter_calls: 1,
    x_posts_fetched: 7,
  };
  const block = { input_tokens: 32, output_tokens: 9, server_side_tool_usage_details };
  expect(readUsageBlock(block)?.toolCalls).toEqual([
    { tool: "web_search", quantity: 2n },
    { tool: "x_search", quantity: 0n },
    { tool: "code_execution", quantity: 1n },
  ]);
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
