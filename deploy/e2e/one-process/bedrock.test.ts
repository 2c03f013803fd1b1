import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { citySchema, pixel, readFile } from "../src/chat-parts.ts";
import { contentOf } from "../src/chat-response.ts";
import { entryOf } from "../src/ledger.ts";
import { eventsOf, expectEnvelope, requestIdOf } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account, chat, lastCall, lastSent } = await sharedStack();

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
});
