import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../simulator.ts";

/**
 * The requests of Anthropic's reference: https://docs.claude.com/en/api/messages-examples,
 * https://docs.claude.com/en/docs/agents-and-tools/tool-use/overview and
 * https://docs.claude.com/en/docs/build-with-claude/extended-thinking
 */
const hello = {
  model: "claude-sonnet-4-5",
  max_tokens: 1024,
  messages: [{ role: "user", content: "Hello, Claude" }],
};
const weatherTool = {
  name: "get_weather",
  description: "Get the current weather in a given location",
  input_schema: {
    type: "object",
    properties: {
      location: { type: "string", description: "The city and state, e.g. San Francisco, CA" },
    },
    required: ["location"],
  },
};
const weather = {
  ...hello,
  tools: [weatherTool],
  messages: [{ role: "user", content: "What is the weather like in San Francisco?" }],
};
const toolUse = {
  type: "tool_use",
  id: "toolu_01A09q90qw90lq917835lq9",
  name: "get_weather",
  input: { location: "San Francisco, CA" },
};
const toolResult = {
  type: "tool_result",
  tool_use_id: "toolu_01A09q90qw90lq917835lq9",
  content: "15 degrees",
};
const thinking = { type: "enabled", budget_tokens: 1_024 };

describe("the Messages route", () => {
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await startSimulator({ port: 0 });
  });

  afterAll(() => simulator.close());

  async function post(body: object, headers: Record<string, string> = {}) {
    const response = await fetch(`${simulator.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": "key", "anthropic-version": "2023-06-01", ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  }

  test("responds to a documented request with a message", async () => {
    const { status, text } = await post(hello);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      id: expect.stringMatching(/^msg_/),
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text: "You said: Hello, Claude" }],
      stop_reason: "end_turn",
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 4,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 6,
        service_tier: "standard",
      },
    });
  });

  test("sends the events of a stream in the documented order", async () => {
    const { text } = await post({ ...weather, thinking, max_tokens: 4_096, stream: true });
    const names = Array.from(text.matchAll(/^event: (\w+)$/gm), ([, name]) => name);
    expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
      "message_start",
      "content_block_start",
      "ping",
      "content_block_delta",
      "content_block_stop",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(text).toMatch(/signature_delta.*\n\nevent: content_block_stop/);
  });

  test("calls a tool, and takes its result", async () => {
    const called = JSON.parse((await post(weather)).text) as { stop_reason: string };
    expect(called).toMatchObject({
      stop_reason: "tool_use",
      content: [{ type: "tool_use", name: "get_weather", input: { location: expect.anything() } }],
    });
    const turns = [
      { role: "assistant", content: [toolUse] },
      { role: "user", content: [toolResult] },
    ];
    const { text } = await post({ ...weather, messages: [...weather.messages, ...turns] });
    expect(text).toContain("The tool returned: 15 degrees");
  });

  test.each([
    ["without a key", hello, { "x-api-key": "" }, 401, "x-api-key header is required"],
    ["without a version", hello, { "anthropic-version": "" }, 400, "anthropic-version"],
    ["without max_tokens", { ...hello, max_tokens: undefined }, {}, 400, "max_tokens: "],
    ["with a member of OpenAI", { ...hello, seed: 1 }, {}, 400, "seed: Extra inputs are not"],
    ["with a system role", { ...hello, messages: [{ role: "system", content: "a" }] }, {}, 400, ""],
    [
      "that begins with the assistant",
      { ...hello, messages: [{ role: "assistant", content: "a" }] },
      {},
      400,
      "first message must use the user role",
    ],
    [
      "with a result of no call",
      { ...weather, messages: [{ role: "user", content: [toolResult] }] },
      {},
      400,
      "unexpected `tool_use_id`",
    ],
    [
      "with a call that lost its thinking",
      {
        ...weather,
        thinking,
        max_tokens: 4_096,
        messages: [
          ...weather.messages,
          { role: "assistant", content: [toolUse] },
          { role: "user", content: [toolResult] },
        ],
      },
      {},
      400,
      "Expected `thinking`",
    ],
    ["with a large budget", { ...hello, thinking }, {}, 400, "must be greater than `thinking"],
  ])("refuses a request %s", async (_, body, headers, status, message) => {
    const response = await post(body, headers);
    expect(response.status).toBe(status);
    expect(JSON.parse(response.text)).toMatchObject({
      type: "error",
      error: {
        type: status === 401 ? "authentication_error" : "invalid_request_error",
        message: expect.stringContaining(message),
      },
    });
  });

  test.each([
    [429, "rate_limit_error"],
    [500, "api_error"],
    [529, "overloaded_error"],
  ])("fails on command with %i and the type %s", async (status, type) => {
    const response = await post({ ...hello, model: `claude?status=${status}` });
    expect(response.status).toBe(status);
    expect(JSON.parse(response.text)).toMatchObject({ type: "error", error: { type } });
  });

  test("breaks a stream on command with an error event", async () => {
    const { text } = await post({ ...hello, model: "claude?error_event=1", stream: true });
    expect(text.trim().split("\n\n").at(-1)).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    );
  });
});
