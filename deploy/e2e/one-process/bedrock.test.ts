import { randomUUID } from "node:crypto";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { describe, expect, test } from "vitest";
import { citySchema, pixel, readFile } from "../src/chat-parts.ts";
import { contentOf } from "../src/chat-response.ts";
import { entryOf } from "../src/ledger.ts";
import { eventsOf, expectEnvelope, requestIdOf } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account, client, chat, lastCall, lastSent } = await sharedStack();

describe("a chat with a provider of the kind bedrock", () => {
  test("is a completion, signed for the region", async () => {
    const response = await chat("test-bedrock", {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello there" },
      ],
      max_tokens: 50,
      stop: "END",
      temperature: 0.5,
    });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/),
      object: "chat.completion",
      model: "test-bedrock",
      choices: [
        {
          finish_reason: "stop",
          message: { role: "assistant", content: "You said: Hello there" },
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 6, cost: 0.000_099 },
    });
    expect(lastCall()).toMatchObject({
      route: "/bedrock/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
      authorized: true,
      requestId: requestIdOf(response),
    });
    expect(lastSent()).toEqual({
      system: [{ text: "Be brief." }],
      messages: [{ role: "user", content: [{ text: "Hello there" }] }],
      inferenceConfig: { maxTokens: 50, temperature: 0.5, stopSequences: ["END"] },
      additionalModelResponseFieldPaths: ["/delta/stop_sequence"],
    });
  });

  test.each([
    "test-bedrock",
    "test-bedrock-key",
    "test-bedrock-nova",
    "test-bedrock-trickling",
  ])("is a stream of chunks that end with usage and cost: %s", async (model) => {
    const response = await chat(model, { stream: true });
    const events = eventsOf(response.text) as { choices: { delta: { content?: string } }[] }[];
    const text = events.flatMap(({ choices }) => choices?.[0]?.delta.content ?? []).join("");
    expect(text).toBe("You said: Hello there");
    expect(events.at(-1)).toBe("[DONE]");
    expect(events.at(-2)).toMatchObject({
      model,
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 6, cost: 0.000_099 },
    });
    expect(lastCall().route).toContain("/converse-stream");
  });

  test.each([
    ["a completion", {}],
    ["a stream", { stream: true }],
  ])("has a line for each dimension that Bedrock reports, in %s", async (_, more) => {
    const response = await chat("test-bedrock-cached", more);
    // 100 × 3 + 600 × 0.30 + 150 × 3.75 + 50 × 6 + 40 × 15 = 1,942.5 USD per million.
    expect(response.text).toContain('"cost":0.001943');
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry).toMatchObject({
      provider: "bedrock",
      lines: [
        { dimension: "input", quantity: 100n },
        { dimension: "cached_input", quantity: 600n },
        { dimension: "cache_write", quantity: 150n },
        { dimension: "cache_write_1h", quantity: 50n },
        { dimension: "output", quantity: 40n },
      ],
    });
    expect(JSON.parse(entry?.providerUsage ?? "")).toMatchObject({
      inputTokens: 100,
      cacheReadInputTokens: 600,
      cacheWriteInputTokens: 200,
    });
  });

  test("sends marks of the prompt cache", async () => {
    const mark = { cache_control: { type: "ephemeral", ttl: "1h" } };
    const part = (text: string) => ({ type: "text", text, ...mark });
    const response = await chat("test-bedrock", {
      messages: [
        { role: "system", content: [part("Long")] },
        { role: "user", content: [part("Hi")] },
      ],
    });
    expect(response.status).toBe(200);
    const cachePoint = { cachePoint: { type: "default", ttl: "1h" } };
    expect(lastSent()).toMatchObject({
      system: [{ text: "Long" }, cachePoint],
      messages: [{ content: [{ text: "Hi" }, cachePoint] }],
    });
  });

  test.each([
    ["test-bedrock", false],
    ["test-bedrock-parallel", false],
    ["test-bedrock-parallel", true],
    ["test-bedrock-nova", true],
  ])("calls the tools of %s and takes their results; stream: %s", async (model, stream) => {
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "Read it" }];
    const request = { model, tools: [readFile] };
    const called = stream
      ? await client.chat.completions.stream({ ...request, messages }).finalChatCompletion()
      : await client.chat.completions.create({ ...request, messages });
    const message = called.choices[0]?.message;
    expect(called.choices[0]?.finish_reason).toBe("tool_calls");
    const count = model === "test-bedrock-parallel" ? 3 : 1;
    expect(message?.tool_calls).toMatchObject(
      Array.from({ length: count }, () => ({
        function: { name: "read_file", arguments: '{"path":"README.md"}' },
      })),
    );
    if (message === undefined) return;
    // Clients send an empty text beside calls.
    messages.push({ ...message, content: "" });
    for (const { id } of message.tool_calls ?? []) {
      messages.push({ role: "tool", tool_call_id: id, content: `contents for ${id}` });
    }
    const done = await client.chat.completions.create({ ...request, messages });
    expect(done.choices[0]?.message.content).toContain("The tool returned: contents for ");
  });

  test.each([
    ["auto", "auto", { auto: {} }],
    ["required", "required", { any: {} }],
    [
      "a named function",
      { type: "function", function: { name: "read_file" } },
      { tool: { name: "read_file" } },
    ],
  ])("sends the tool choice %s", async (_, tool_choice, toolChoice) => {
    const response = await chat("test-bedrock", { tools: [readFile], tool_choice });
    expect(response.status).toBe(200);
    expect(lastSent()).toMatchObject({ toolConfig: { toolChoice } });
  });

  test("sends the marks of tools, and a named choice with the other tools", async () => {
    const other = { ...readFile, function: { ...readFile.function, name: "other" } };
    const marked = { ...readFile, cache_control: { type: "ephemeral", ttl: "1h" } };
    const tool_choice = { type: "function", function: { name: "other" } };
    const response = await chat("test-bedrock", { tools: [marked, other], tool_choice });
    expect(response.status).toBe(200);
    expect(lastSent()).toMatchObject({
      toolConfig: {
        tools: [
          { toolSpec: { name: "read_file" } },
          { cachePoint: { type: "default", ttl: "1h" } },
          { toolSpec: { name: "other" } },
        ],
        toolChoice: { tool: { name: "other" } },
      },
    });
  });

  test("sends the tools of earlier calls in a request without tools", async () => {
    const messages = [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "a", content: "text" },
    ];
    const response = await chat("test-bedrock", { messages });
    expect(response.status).toBe(200);
    expect(lastSent()).toMatchObject({
      toolConfig: { tools: [{ toolSpec: { name: "f" } }], toolChoice: { auto: {} } },
    });
  });

  test("merges two messages of a user around one that says nothing", async () => {
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "" },
      { role: "user", content: "go" },
    ];
    expect((await chat("test-bedrock", { messages })).status).toBe(200);
    expect(lastSent()).toMatchObject({
      messages: [{ role: "user", content: [{ text: "hi" }, { text: "go" }] }],
    });
  });

  test("sends no tools where none may be called", async () => {
    const response = await chat("test-bedrock", { tools: [readFile], tool_choice: "none" });
    expect(response.status).toBe(200);
    expect(lastSent()).not.toHaveProperty("toolConfig");
  });

  test("lets Claude call one tool at a time", async () => {
    const more = { tools: [readFile], parallel_tool_calls: false };
    const response = await chat("test-bedrock-parallel", more);
    const { choices } = response.body as { choices: [{ message: { tool_calls: object[] } }] };
    expect(choices[0].message.tool_calls).toHaveLength(1);
    expectEnvelope(
      await chat("test-bedrock-nova", more),
      400,
      "invalid_param",
      "parallel_tool_calls",
    );
  });

  test("takes images in base64, and refuses addresses by name", async () => {
    const image = (url: string) => {
      const content = [
        { type: "text", text: "See" },
        { type: "image_url", image_url: { url } },
      ];
      return { messages: [{ role: "user", content }] };
    };
    const response = await chat("test-bedrock", image(pixel));
    expect(response.text).toContain("I see 1 image.");
    const [, bytes] = pixel.split(",");
    expect(lastSent()).toMatchObject({
      messages: [{ content: [{ text: "See" }, { image: { format: "png", source: { bytes } } }] }],
    });
    const refused = await chat("test-bedrock", image("https://example.com/a.png"));
    expectEnvelope(refused, 400, "invalid_param", "messages[0].content[1].image_url.url");
  });

  test.each([
    {},
    { stream: true },
    { reasoning_effort: "low", max_tokens: 4_000 },
  ])("responds in the format json_schema by the model's own structured output, with %j", async (more) => {
    const json_schema = { name: "answer", schema: citySchema };
    const response_format = { type: "json_schema", json_schema };
    const response = await chat("test-bedrock", { response_format, ...more });
    expect(response.status).toBe(200);
    expect(JSON.parse(contentOf(response.text))).toEqual({ city: expect.any(String) });
    expect(lastSent()).toMatchObject({
      outputConfig: {
        textFormat: { type: "json_schema", structure: { jsonSchema: { name: "answer" } } },
      },
    });
    expect(lastSent()).not.toHaveProperty("toolConfig");
  });

  test.each([
    ["json_schema", "test-bedrock-nova", {}],
    ["json_schema", "test-bedrock-nova", { stream: true }],
    ["json_schema", "test-bedrock-nova", { tools: [readFile] }],
    ["json_schema", "test-bedrock-nova", { tools: [readFile], tool_choice: "none" }],
    ["json_object", "test-bedrock", {}],
  ])("responds in the format %s of %s by a tool, with %j", async (type, model, more) => {
    const response_format = { type, json_schema: { name: "answer", schema: citySchema } };
    const response = await chat(model, { response_format, ...more });
    expect(response.status).toBe(200);
    expect(response.text).toContain('"finish_reason":"stop"');
    const value = JSON.parse(contentOf(response.text)) as object;
    if (type === "json_schema") expect(value).toEqual({ city: expect.any(String) });
    else expect(value).toBeTypeOf("object");
    expect(lastSent()).toMatchObject({ toolConfig: { toolChoice: { any: {} } } });
  });

  test.each([
    false,
    true,
  ])("keeps the signatures of thinking in a loop of tools; stream: %s", async (stream) => {
    const body = {
      model: "test-bedrock",
      tools: [readFile],
      reasoning_effort: "medium" as const,
      max_tokens: 4_000,
    };
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "Read it" }];
    const called = stream
      ? await client.chat.completions.stream({ ...body, messages }).finalChatCompletion()
      : await client.chat.completions.create({ ...body, messages });
    const message = called.choices[0]?.message;
    expect(message).toMatchObject({
      // The helper of streams does not join members that it does not know.
      reasoning_content: expect.stringContaining(stream ? "it." : "The user wrote"),
      reasoning_details: [
        {
          type: "reasoning.text",
          text: "The user wrote something. I will respond to it.",
          signature: expect.stringMatching(/^signature-/),
          format: "anthropic-claude-v1",
        },
      ],
    });
    expect(lastSent()).toMatchObject({
      inferenceConfig: { maxTokens: 4_000 },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2_000 } },
    });
    if (message === undefined) return;
    const [call] = message.tool_calls ?? [];
    messages.push(message, { role: "tool", tool_call_id: call?.id ?? "", content: "text" });
    const done = await client.chat.completions.create({ ...body, messages });
    expect(done.choices[0]?.message.content).toBe("The tool returned: text");
    const { reasoning_details } = message as unknown as {
      reasoning_details: [{ text: string; signature: string }];
    };
    const [{ text, signature }] = reasoning_details;
    expect(lastSent()).toMatchObject({
      messages: [
        {},
        { content: [{ reasoningContent: { reasoningText: { text, signature } } }, {}] },
        {},
      ],
    });
  });

  test("thinks on from the thinking of Claude's own API", async () => {
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "Read it" }];
    const request = { tools: [readFile], max_tokens: 4_000, reasoning_effort: "low" as const };
    const first = await client.chat.completions.create({
      ...request,
      model: "test-claude",
      messages,
    });
    const message = first.choices[0]?.message;
    if (message === undefined) return;
    const [call] = message.tool_calls ?? [];
    messages.push(message, { role: "tool", tool_call_id: call?.id ?? "", content: "text" });
    const model = "test-bedrock-after-claude";
    const done = await client.chat.completions.create({ ...request, model, messages });
    expect(done.choices[0]?.message.content).toBe("The tool returned: text");
    expect(lastCall().route).toContain("/bedrock/");
  });

  test.each([
    false,
    true,
  ])("reports a refusal by the content filter; stream: %s", async (stream) => {
    const response = await chat("test-bedrock-refusing", { stream });
    expect(response.text).toContain('"finish_reason":"content_filter"');
  });

  test.each([
    ["ends within an event", "test-bedrock-truncated"],
    ["has an exception", "test-bedrock-throttled"],
  ])("ends with an error event where the provider's stream %s", async (_, model) => {
    const response = await chat(model, { stream: true });
    const last = eventsOf(response.text).at(-1);
    expect(last).toMatchObject({ error: { code: "upstream_rejected" } });
  });

  test.each([
    ["is overloaded", "test-bedrock-down", [false, true]],
    ["limits its rate", "test-bedrock-limited", [false, true]],
    ["has a failed model", "test-bedrock-failed", [false, true]],
    ["begins with ThrottlingException", "test-bedrock-throttled-first", [true]],
    ["sends what is not valid", "test-bedrock-corrupt", [false, true]],
    ["ends within its first event", "test-bedrock-truncated-first", [true]],
  ])("is served by the next slot, at its price, where the provider %s", async (_, model, modes) => {
    for (const stream of modes) {
      const response = await chat(model, { stream });
      expect(response.status).toBe(200);
      // 3 tokens at 1 USD per million and 6 at 2.
      expect(response.text).toContain('"cost":0.000015');
    }
  });

  test("is the answer, and is billed, where the model calls a tool with bad arguments", async () => {
    for (const stream of [false, true]) {
      const response = await chat("test-bedrock-malformed", { stream });
      expect(response.text).toContain('"finish_reason":"stop"');
      expect(lastCall().model).toContain("malformed_call");
    }
  });

  test("is not retried at the next slot where the request is at fault", async () => {
    const response = await chat("test-bedrock-invalid");
    expectEnvelope(response, 502, "upstream_rejected");
    expect(response.text).toContain("malformed input");
  });

  test.each([
    "test-bedrock-long",
    "test-bedrock-denied",
  ])("is served by the next slot where only %s cannot serve it", async (model) => {
    const response = await chat(model);
    expect([response.status, response.text]).toEqual([200, expect.stringContaining("You said")]);
  });

  test("continues a conversation with calls", async () => {
    const session_id = randomUUID();
    const model = "test-bedrock";
    const first = await chat(model, { session_id, tools: [readFile] });
    const { choices } = first.body as { choices: [{ message: { tool_calls: [{ id: string }] } }] };
    const [{ id }] = choices[0].message.tool_calls;
    const result = [{ role: "tool", tool_call_id: id, content: "text" }];
    const second = await chat(model, { session_id, messages: result, tools: [readFile] });
    expect(second.text).toContain("The tool returned: text");
  });

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
