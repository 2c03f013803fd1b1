import { describe, expect, test } from "vitest";
import { readFile as chatTool } from "../src/chat-parts.ts";
import { expectEnvelope, send } from "../src/request.ts";
import { responsesClient } from "../src/responses-client.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account } = await sharedStack();
const { post } = responsesClient(stack, account);

const readFile = { type: "function", ...chatTool.function, strict: false };

describe("refused requests of POST /v1/responses", () => {
  test.each<[string, string, object]>([
    ["store", "invalid_param", { store: true }],
    ["previous_response_id", "invalid_param", { previous_response_id: "resp_1" }],
    ["conversation", "invalid_param", { conversation: "conv_1" }],
    ["background", "invalid_param", { background: true }],
    ["prompt", "invalid_param", { prompt: { id: "p" } }],
    ["input", "invalid_param", { input: undefined }],
    ["input", "invalid_param", { input: [] }],
    ["input[0].role", "invalid_param", { input: [{ role: "tool", content: "a" }] }],
    ["input[0].call_id", "invalid_param", { input: [{ type: "function_call" }] }],
    ["max_output_tokens", "invalid_param", { max_output_tokens: 0 }],
    ["model", "model_not_found", { model: "no-such" }],
    ["tools[0].type", "invalid_param", { tools: [{ type: "web_search" }] }],
    ["tools[0].type", "invalid_param", { tools: [{ type: "file_search" }] }],
    ["tool_choice.type", "invalid_param", { tools: [readFile], tool_choice: { type: "mcp" } }],
    ["truncation", "invalid_param", { truncation: "auto" }],
    ["service_tier", "invalid_param", { service_tier: "flex" }],
    ["text.verbosity", "invalid_param", { text: { verbosity: "high" } }],
    ["max_tool_calls", "invalid_param", { max_tool_calls: 3 }],
    ["include[0]", "invalid_param", { include: ["web_search_call.results"] }],
    ["input[0].type", "invalid_param", { input: [{ type: "item_reference", id: "x" }] }],
    ["no_such_member", "unknown_param", { no_such_member: 1 }],
    ["toString", "unknown_param", { toString: 1 }],
    ["tools[0].name", "invalid_param", { tools: [{ type: "function" }] }],
    [
      "input[0].content[0].text",
      "invalid_param",
      { input: [{ role: "user", content: [{ type: "input_text", text: [] }] }] },
    ],
  ])("%s is refused by name before a provider is called: %s %j", async (param, code, more) => {
    const before = stack.simulator.calls.list().length;
    const response = await post("test-small", more);
    expectEnvelope(response, code === "model_not_found" ? 404 : 400, code, param);
    expect(stack.simulator.calls.list()).toHaveLength(before);
  });

  test.each([
    "test-claude-invalid",
    "test-gemini-invalid",
    "test-gpt-invalid",
  ])("a prompt that is too long for %s is a 400, by which agents shorten it", async (model) => {
    for (const stream of [false, true]) {
      const response = await post(model, { stream });
      expect([response.status, response.body]).toMatchObject([
        400,
        { error: { code: "context_length_exceeded", param: "input" } },
      ]);
      expect(response.text).toMatch(
        /prompt is too long|exceeds the context window|exceeds the maximum/,
      );
    }
  });

  test("what the provider refuses of the client's own bytes is a 400 with its words", async () => {
    const response = await post("test-gpt", { image: {} });
    expectEnvelope(response, 400, "invalid_param", "image");
    expect(response.text).toContain("Unknown parameter: 'image'");
  });

  test("a wallet that pays for less output than the provider generates is refused", async () => {
    // 3 USD a million for some 60 tokens of the prompt, and 15 for 16 of the output.
    const poor = await stack.newAccount(0.000_3);
    const response = await send(`${stack.url}/v1/responses`, {
      key: poor.key,
      body: { model: "test-gpt", input: "x".repeat(180) },
    });
    expectEnvelope(response, 402, "credit_balance_exhausted");
  });
});
