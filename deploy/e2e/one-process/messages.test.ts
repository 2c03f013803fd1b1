import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { pixel } from "../src/chat-parts.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf, readWalletRow } from "../src/ledger.ts";
import { expectMessagesError, messagesClient } from "../src/messages-client.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

type MessageParam = Anthropic.MessageParam;

const readFile: Anthropic.Tool = {
  name: "read_file",
  description: "Reads a file.",
  input_schema: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
};

const { stack, account, lastSent } = await sharedStack();
const client = new Anthropic({ apiKey: account.key, baseURL: stack.url, maxRetries: 0 });
const { post } = messagesClient(stack, account);

describe("POST /v1/messages", () => {
  /** Sends a body to the provider itself, and returns its response. */
  async function ask(body: object): Promise<string> {
    const response = await fetch(`${stack.simulator.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": "k", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(body),
    });
    return response.text();
  }

  function withoutIds(text: string): string {
    return text.replaceAll(/(msg|toolu|signature)[_-]\d+/g, "$1");
  }

  const requests: [string, object][] = [
    ["a text", {}],
    ["thinking", { max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 1_024 } }],
    ["a tool call", { tools: [readFile] }],
    [
      "marks and members that the gateway does not read",
      {
        system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
        metadata: { user_id: "u1" },
      },
    ],
  ];

  describe.each(requests)("with %s, at a provider of Anthropic's API", (_, more) => {
    test.each([
      false,
      true,
    ])("is forwarded byte for byte both ways (stream: %s)", async (stream) => {
      const body = { max_tokens: 50, messages: [{ role: "user", content: "Hello there" }], stream };
      const response = await post("test-claude", { ...body, ...more });
      expect(response.status).toBe(200);
      const set = { model: "claude-sonnet-4-5", service_tier: "standard_only" };
      const sent = { ...body, ...set, ...more };
      expect(lastSent()).toEqual(sent);
      const expected = (await ask(sent)).replace("claude-sonnet-4-5", "test-claude");
      expect(withoutIds(response.text)).toBe(withoutIds(expected));
    });
  });

  test("sends the client's version and betas to a provider of Anthropic's API", async () => {
    const betas = "interleaved-thinking-2025-05-14,context-management-2025-06-27";
    await post("test-claude", {}, { "anthropic-beta": betas, "anthropic-version": "2023-06-01" });
    expect(stack.simulator.calls.list().at(-1)?.vendorHeaders).toEqual({
      "anthropic-version": "2023-06-01",
      "anthropic-beta": betas,
    });
  });

  test.each([
    false,
    true,
  ])("is metered by dimension, with the cost of each (stream: %s)", async (stream) => {
    const response = await post("test-claude-cached", { stream, max_tokens: 1_000 });
    const entry = await entryOf(stack, account, requestIdOf(response));
    // 100 × 3 + 600 × 0.30 + 150 × 3.75 + 50 × 6 + 40 × 15 = 1942.5 USD per million, rounded up.
    expect(entry).toMatchObject({ amountNanoUsd: -1_943_000n });
    expect(entry?.lines).toMatchObject([
      { dimension: "input", quantity: 100n },
      { dimension: "cached_input", quantity: 600n },
      { dimension: "cache_write", quantity: 150n },
      { dimension: "cache_write_1h", quantity: 50n },
      { dimension: "output", quantity: 40n },
    ]);
  });

  const models = ["test-claude", "test-small", "test-gemini-3", "test-bedrock", "test-mistral"];

  describe.each(models)("for the alias %s", (model) => {
    test("the SDK gets a message and a stream of the same text", async () => {
      const request = { model, max_tokens: 200, messages: [user("Hello there")] };
      const message = await client.messages.create({ ...request, system: "Be brief." });
      expect(message).toMatchObject({
        type: "message",
        role: "assistant",
        model,
        stop_reason: "end_turn",
        usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
      });
      expect(textOf(message)).toBe("You said: Hello there");
      const texts: string[] = [];
      const stream = client.messages.stream(request).on("text", (text) => texts.push(text));
      const final = await stream.finalMessage();
      expect([texts.join(""), textOf(final), final.stop_reason]).toEqual([
        "You said: Hello there",
        "You said: Hello there",
        "end_turn",
      ]);
      expect(final.usage.output_tokens).toBeGreaterThan(0);
    });

    test("a tool loop ends, with the same calls in a message and in a stream", async () => {
      const messages: MessageParam[] = [user("Read it")];
      const request = { model, max_tokens: 200, tools: [readFile] };
      const called = await client.messages.create({ ...request, messages });
      const streamed = await client.messages.stream({ ...request, messages }).finalMessage();
      expect(called.stop_reason).toBe("tool_use");
      expect(streamed.stop_reason).toBe("tool_use");
      const calls = callsOf(called);
      expect(calls).toMatchObject([{ name: "read_file", input: { path: expect.any(String) } }]);
      expect(callsOf(streamed).map(({ input }) => input)).toEqual(calls.map(({ input }) => input));
      messages.push({ role: "assistant", content: streamed.content });
      messages.push({ role: "user", content: callsOf(streamed).map(({ id }) => result(id)) });
      const done = await client.messages.create({ ...request, messages });
      expect(textOf(done)).toContain("The tool returned: contents of it");
    });
  });

  test("thinking comes back with its signature in a tool loop over Gemini", async () => {
    const messages: MessageParam[] = [user("Read it")];
    const thinking = { type: "enabled" as const, budget_tokens: 1_024 };
    const request = { model: "test-gemini-3", max_tokens: 4_000, tools: [readFile], thinking };
    const called = await client.messages.stream({ ...request, messages }).finalMessage();
    expect(called.content.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["thinking", "tool_use"]),
    );
    messages.push({ role: "assistant", content: called.content });
    messages.push({ role: "user", content: callsOf(called).map(({ id }) => result(id)) });
    const done = await client.messages.create({ ...request, messages });
    expect(textOf(done)).toContain("The tool returned: contents of it");
    expect(JSON.stringify(lastSent())).toContain("thoughtSignature");
  });

  test("images are sent on, as data and as a URL", async () => {
    const [, base64 = ""] = pixel.split(",");
    const data = { type: "base64" as const, media_type: "image/png" as const, data: base64 };
    const url = { type: "url" as const, url: "https://example.com/a.png" };
    const content = [data, url].map((source) => ({ type: "image" as const, source }));
    const message = await client.messages.create({
      model: "test-vision",
      max_tokens: 200,
      messages: [{ role: "user", content: [...content, { type: "text", text: "What is it?" }] }],
    });
    expect(textOf(message)).toContain("I see 2 images.");
    const [sent] = lastSent().messages as { content: object[] }[];
    expect(sent?.content.slice(0, 2)).toEqual([
      { type: "image_url", image_url: { url: pixel } },
      { type: "image_url", image_url: { url: "https://example.com/a.png" } },
    ]);
  });

  test("members become those of a chat completion", async () => {
    const response = await post("test-small", {
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      stop_sequences: ["END"],
      temperature: 0.5,
      top_p: 0.9,
      thinking: { type: "enabled", budget_tokens: 1_024 },
      max_tokens: 4_000,
      tools: [{ ...readFile, cache_control: { type: "ephemeral" } }],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
      metadata: { user_id: "u7" },
    });
    expect(response.status).toBe(200);
    expect(lastSent()).toEqual({
      model: "small",
      max_completion_tokens: 4_000,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello there" },
      ],
      stop: ["END"],
      temperature: 0.5,
      top_p: 0.9,
      reasoning_effort: "low",
      tools: [
        {
          type: "function",
          function: {
            name: "read_file",
            description: "Reads a file.",
            parameters: readFile.input_schema,
          },
        },
      ],
      tool_choice: "required",
      parallel_tool_calls: false,
      user: "u7",
    });
  });

  test("a slot that cannot be sent a member is left out where another can", async () => {
    const response = await post("test-claude-overloaded", {
      tools: [{ type: "bash_20250124", name: "bash" }],
    });
    expectMessagesError(response, 400, "invalid_param");
    const other = await post("test-claude-overloaded");
    expect(other.body).toMatchObject({
      content: [{ type: "text", text: "You said: Hello there" }],
    });
  });

  test.each([
    ["test-claude-overloaded", false],
    ["test-claude-overloaded", true],
    ["test-claude-erring-first", true],
  ])("%s goes on to the next slot, at its price (stream: %s)", async (model, stream) => {
    const response = await post(model, { stream });
    expect(response.status).toBe(200);
    const entry = await entryOf(stack, account, requestIdOf(response));
    // 3 × 1 + 6 × 2 USD per million tokens.
    expect(entry).toMatchObject({ amountNanoUsd: -15_000n });
  });

  test.each([
    ["test-claude-cut", "api_error"],
    ["test-claude-erring", "overloaded_error"],
    ["test-cut", "api_error"],
  ])("a stream of %s that breaks ends with an error event: %s", async (model, type) => {
    const stream = client.messages.stream({
      model,
      max_tokens: 200,
      messages: [user("Hello there")],
    });
    await expect(stream.finalMessage()).rejects.toMatchObject({
      error: {
        type: "error",
        error: { type, code: "upstream_rejected" },
        request_id: expect.stringMatching(/^req_/),
      },
    });
  });

  test.each([
    "test-claude-long",
    "test-long",
  ])("streams of %s that the wallet does not pay in full end with max_tokens, and bill what was delivered", async (model) => {
    // 3,900 tokens cost $0.0585, and each stream may take the whole wallet at its start.
    const shared = await stack.newAccount(0.07);
    const sdk = new Anthropic({ apiKey: shared.key, baseURL: stack.url, maxRetries: 0 });
    const request = { model, max_tokens: 4_000, messages: [user("Hello there")] };
    const ended = await Promise.all([1, 2].map(() => sdk.messages.stream(request).finalMessage()));
    expect(ended.map(({ stop_reason }) => stop_reason)).toContain("max_tokens");
    await eventually(async () => {
      const { balance, held, entries } = await readWalletRow(stack, shared);
      const charges = entries.filter(({ kind }) => kind === "usage");
      expect([charges.length, held, balance >= 0n]).toEqual([2, 0n, true]);
      expect(charges.every(({ uncollected }) => uncollected === 0n)).toBe(true);
      // A token of the simulator has four characters, and one of the tokenizer about as many.
      const delivered = ended.reduce((sum, message) => sum + textOf(message).length / 4, 0);
      const spent = Number(nanoUsd(0.07) - balance);
      expect(Math.abs(spent / 15_000 / delivered - 1)).toBeLessThan(0.05);
    });
  });

  test.each([
    "test-claude-slow",
    "test-gemini-slow",
  ])("a client of %s that disconnects pays for what it was sent", async (model) => {
    const abort = new AbortController();
    const response = await fetch(`${stack.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": account.key },
      body: JSON.stringify({
        model,
        max_tokens: 4_000,
        stream: true,
        messages: [user("Hello there")],
      }),
      signal: abort.signal,
    });
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString("utf8");
      if (text.split("content_block_delta").length > 8) break;
    }
    abort.abort();
    const requestId = response.headers.get("x-request-id");
    await eventually(async () => {
      const entry = await entryOf(stack, account, requestId);
      expect(entry).toMatchObject({ basis: "tokenized" });
      expect(entry?.amountNanoUsd).toBeLessThan(0n);
    });
  });

  test("what Claude Code sends is translated: effort, late instructions, edits that keep all", async () => {
    const userId = JSON.stringify({ device_id: "d".repeat(64), session_id: "s" });
    const body = {
      messages: [
        { role: "user", content: [{ type: "text", text: "Hello there" }] },
        { role: "system", content: "Available agents: none." },
      ],
      max_tokens: 4_000,
      thinking: { type: "adaptive" },
      context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
      output_config: { effort: "medium" },
      metadata: { user_id: userId },
    };
    expect((await post("test-small", body)).status).toBe(200);
    expect(lastSent()).toMatchObject({
      messages: [{ role: "user" }, { role: "system", content: "Available agents: none." }],
      reasoning_effort: "medium",
      user: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await post("test-gemini", body)).status).toBe(200);
    expect(JSON.stringify(lastSent())).toContain("<system-reminder>");
    expect((await post("test-claude", body)).status).toBe(200);
  });

  test("thinking of another provider is left out at Claude", async () => {
    const messages: MessageParam[] = [user("Read it")];
    const request = { max_tokens: 4_000, tools: [readFile] };
    const thinking = { type: "enabled" as const, budget_tokens: 1_024 };
    const called = await client.messages.create({
      ...request,
      model: "test-gemini-3",
      thinking,
      messages,
    });
    messages.push({ role: "assistant", content: called.content });
    messages.push({ role: "user", content: callsOf(called).map(({ id }) => result(id)) });
    const done = await client.messages.create({ ...request, model: "test-claude", messages });
    expect(textOf(done)).toContain("The tool returned: contents of it");
    expect(JSON.stringify(lastSent())).not.toContain("tollgate:");
  });

  test("a byte order mark before the body is ignored", async () => {
    const body = { model: "test-small", max_tokens: 50, messages: [user("Hello there")] };
    for (const model of ["test-small", "test-claude"]) {
      for (const path of ["/v1/messages", "/v1/messages/count_tokens"]) {
        const { max_tokens, ...others } = { ...body, model };
        const sent = path === "/v1/messages" ? { ...others, max_tokens } : others;
        const marked = `\ufeff${JSON.stringify(sent)}`;
        const response = await send(`${stack.url}${path}`, { key: account.key, body: marked });
        expect([response.status, response.text]).toEqual([200, expect.any(String)]);
      }
    }
  });

  test("the SDK's beta namespace is served, too", async () => {
    const message = await client.beta.messages.create({
      model: "test-claude",
      max_tokens: 50,
      messages: [user("Hello there")],
      betas: ["context-1m-2025-08-07"],
    });
    expect(message.content).toMatchObject([{ type: "text", text: "You said: Hello there" }]);
  });

  test("what other providers generated is left out for one of Anthropic's API, or changed", async () => {
    const unsigned = { type: "thinking", thinking: "Hm.", signature: "" };
    const call = { type: "tool_use", id: "functions.f:0", name: "read_file", input: {} };
    const result = { type: "tool_result", tool_use_id: call.id, content: "ok" };
    const messages = [
      { role: "user", content: "Read it" },
      { role: "assistant", content: [unsigned, { type: "thinking", thinking: "Hm." }, call] },
      { role: "user", content: [result] },
    ];
    const thinking = { type: "enabled", budget_tokens: 1_024 };
    const more = { messages, tools: [readFile], thinking, max_tokens: 4_000 };
    expect((await post("test-claude", more)).status).toBe(200);
    const id = expect.stringMatching(/^toolu_[0-9a-f]+$/);
    expect(lastSent()).toMatchObject({
      messages: [{}, { content: [{ ...call, id }] }, { content: [{ ...result, tool_use_id: id }] }],
    });
    expect(lastSent()).not.toHaveProperty("thinking");
  });

  test("a retry with its idempotency key is replayed at no cost", async () => {
    const headers = { "idempotency-key": `m-${Date.now()}` };
    const first = await post("test-claude", { stream: true }, headers);
    const again = await post("test-claude", { stream: true }, headers);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });
});

function user(content: string): MessageParam {
  return { role: "user", content };
}

function textOf({ content }: Anthropic.Message): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function callsOf({ content }: Anthropic.Message): Anthropic.ToolUseBlock[] {
  return content.filter((block) => block.type === "tool_use");
}

function result(tool_use_id: string): Anthropic.ToolResultBlockParam {
  return { type: "tool_result", tool_use_id, content: "contents of it" };
}
