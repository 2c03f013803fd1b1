import { describe, expect, test } from "vitest";
import { readFile } from "../src/chat-parts.ts";
import { expectEnvelope } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, chat } = await sharedStack();

describe("a chat with a provider of the kind bedrock", () => {
  test.each([
    ["n", "test-bedrock", { n: 2 }],
    ["seed", "test-bedrock", { seed: 7 }],
    ["top_k", "test-bedrock", { top_k: 7 }],
    ["user", "test-bedrock", { user: "u" }],
    ["metadata", "test-bedrock", { metadata: { team: "a" } }],
    ["logit_bias", "test-bedrock", { logit_bias: { 5: 1 } }],
    ["frequency_penalty", "test-bedrock", { frequency_penalty: 0.5 }],
    ["temperature", "test-bedrock", { temperature: 1.5 }],
    ["top_p", "test-bedrock", { temperature: 0.5, top_p: 0.5 }],
    [
      "temperature",
      "test-bedrock",
      { temperature: 0.5, reasoning_effort: "low", max_tokens: 4_000 },
    ],
    [
      "tool_choice",
      "test-bedrock",
      { tools: [readFile], tool_choice: "required", reasoning_effort: "low", max_tokens: 4_000 },
    ],
    [
      "response_format",
      "test-bedrock",
      { response_format: { type: "json_object" }, reasoning_effort: "low", max_tokens: 4_000 },
    ],
    [
      "tool_choice",
      "test-bedrock",
      { response_format: { type: "json_object" }, tools: [readFile], tool_choice: "required" },
    ],
    [
      "messages[1].role",
      "test-bedrock",
      {
        messages: [
          { role: "user", content: "Hi" },
          { role: "system", content: "Be brief." },
        ],
      },
    ],
  ])("is refused by name before the provider is called: %s of %s, %j", async (param, model, more) => {
    const before = stack.simulator.calls.list().length;
    const response = await chat(model, more);
    expectEnvelope(response, 400, "invalid_param", param);
    expect(stack.simulator.calls.list()).toHaveLength(before);
  });
});
