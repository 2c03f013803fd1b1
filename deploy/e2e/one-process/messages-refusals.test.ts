import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { expectMessagesError, messagesClient } from "../src/messages-client.ts";
import { requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account } = await sharedStack();
const { post } = messagesClient(stack, account);

const user = (content: string) => ({ role: "user" as const, content });

describe("refused requests of POST /v1/messages", () => {
  const pdf = { type: "base64", media_type: "application/pdf", data: "JVBERi0=" };
  test.each<[string, object]>([
    [
      "context_management.edits[0]",
      { context_management: { edits: [{ type: "clear_thinking_20251015", keep: 1 }] } },
    ],
    ["tools[0].type", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    [
      "messages[0].content[0].source.type",
      { messages: [{ role: "user", content: [{ type: "document", source: pdf }] }] },
    ],
    ["tools[0].name", { tools: [{ input_schema: { type: "object" } }] }],
  ])("%s is refused by name where it cannot be translated", async (param, more) => {
    const before = stack.simulator.calls.list().length;
    const response = await post("test-small", more);
    expect([response.status, response.body]).toMatchObject([
      400,
      { type: "error", error: { type: "invalid_request_error", code: "invalid_param", param } },
    ]);
    expect(stack.simulator.calls.list()).toHaveLength(before);
  });

  test("a key is accepted in either header, and a wrong one is refused in Anthropic's form", async () => {
    const body = { model: "test-small", max_tokens: 9, messages: [user("Hi")] };
    const url = `${stack.url}/v1/messages`;
    const ofHeader = await send(url, { body, headers: { "x-api-key": account.key } });
    expect(ofHeader.status).toBe(200);
    for (const headers of [{ "x-api-key": "sk-tollgate-no" }, {}]) {
      const refused = await send(url, { body, headers });
      expect([refused.status, refused.body]).toMatchObject([
        401,
        {
          type: "error",
          error: { type: "authentication_error", code: "invalid_api_key" },
          request_id: requestIdOf(refused),
        },
      ]);
    }
  });

  test("an empty wallet is refused with Anthropic's billing error", async () => {
    const poor = await stack.newAccount(0);
    const sdk = new Anthropic({ apiKey: poor.key, baseURL: stack.url, maxRetries: 0 });
    const request = { model: "test-small", max_tokens: 9, messages: [user("Hi")] };
    await expect(sdk.messages.create(request)).rejects.toMatchObject({
      status: 402,
      error: { error: { type: "billing_error", code: "credit_balance_exhausted" } },
    });
  });

  test.each<[string, string, object]>([
    ["max_tokens", "invalid_param", { max_tokens: undefined }],
    ["max_tokens", "invalid_param", { max_tokens: 0 }],
    ["messages", "invalid_param", { messages: [] }],
    ["messages[0].role", "invalid_param", { messages: [{ role: "tool", content: "a" }] }],
    [
      "messages[0].content[0].text",
      "invalid_param",
      { messages: [{ role: "user", content: [{ type: "text" }] }] },
    ],
    ["thread", "invalid_param", { thread: { type: "create" } }],
    ["model", "model_not_found", { model: "no-such" }],
    [
      "messages[0].content[0]",
      "invalid_param",
      {
        messages: [
          {
            role: "user",
            content: [{ type: "image", source: { type: "url", url: "https://a.example/b" } }],
          },
        ],
      },
    ],
    [
      "messages[0].content[0].source.url",
      "invalid_param",
      {
        messages: [
          { role: "user", content: [{ type: "image", source: { type: "url", url: [1] } }] },
        ],
      },
    ],
    [
      "thinking.budget_tokens",
      "invalid_param",
      { thinking: { type: "enabled", budget_tokens: {} } },
    ],
  ])("an invalid %s is refused by name: %s", async (param, code, more) => {
    const response = await post("test-small", more);
    expect(response.body).toMatchObject({ type: "error", error: { code, param } });
  });

  test("another method is refused in Anthropic's form", async () => {
    const refused = await send(`${stack.url}/v1/messages`, { key: account.key });
    expectMessagesError(refused, 405, "method_not_allowed");
    expect(refused.headers.get("allow")).toBe("POST");
  });

  test("the refusal of a thread says in Anthropic's terms that a client may go on without", async () => {
    const { body } = await post("test-claude", { thread: { type: "create" } });
    const details = { error_code: "thread_unsupported_request", unsupported: ["thread"] };
    expect(body).toMatchObject({ error: { param: "thread", details } });
  });

  test.each([
    "test-claude-invalid",
    "test-gemini-invalid",
  ])("a prompt that is too long for %s is a 400, by which agents shorten it", async (model) => {
    for (const stream of [false, true]) {
      const response = await post(model, { stream });
      expect([response.status, response.body]).toMatchObject([
        400,
        {
          type: "error",
          error: { type: "invalid_request_error", code: "context_length_exceeded" },
        },
      ]);
      expect(response.text).toContain("prompt is too long");
    }
  });

  test("what the provider refuses of the client's own bytes is a 400 with its words", async () => {
    for (const stream of [false, true]) {
      const response = await post("test-claude", { output_format: {}, stream });
      expectMessagesError(response, 400, "invalid_param");
      expect(response.text).toContain("output_format: Extra inputs are not permitted");
    }
  });
});
