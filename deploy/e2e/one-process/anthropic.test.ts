import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { describe, expect, test } from "vitest";
import { pixel, readFile } from "../src/chat-parts.ts";
import { entryOf } from "../src/ledger.ts";
import { eventsOf, expectEnvelope, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account, client, chat, lastSent } = await sharedStack();

describe("a chat with a provider of the kind anthropic", () => {
  test("is a completion, with the key and the version in Anthropic's headers", async () => {
    const response = await chat("test-claude", {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello there" },
      ],
      max_tokens: 50,
      user: "u1",
      stop: "END",
      temperature: 0.5,
    });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      object: "chat.completion",
      model: "test-claude",
      choices: [
        {
          finish_reason: "stop",
          message: { role: "assistant", content: "You said: Hello there" },
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 6, cost: 0.000_099 },
    });
    expect(lastSent()).toEqual({
      model: "claude-sonnet-4-5",
      max_tokens: 50,
      temperature: 0.5,
      stop_sequences: ["END"],
      metadata: { user_id: "u1" },
      system: [{ type: "text", text: "Be brief." }],
      messages: [{ role: "user", content: [{ type: "text", text: "Hello there" }] }],
    });
    const [call] = stack.simulator.calls.list({ user: "u1" });
    expect(call).toMatchObject({
      route: "/v1/messages",
      authorized: true,
      requestId: requestIdOf(response),
    });
  });

  test.each([
    ["a completion", {}],
    ["a stream", { stream: true }],
  ])("has a line for each dimension that Anthropic reports, in %s", async (_, more) => {
    const response = await chat("test-claude-cached", more);
    // 100 × 3 + 600 × 0.30 + 150 × 3.75 + 50 × 6 + 40 × 15 = 1942.5 USD per million, rounded up.
    expect(response.text).toContain('"cost":0.001943');
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry?.lines).toMatchObject([
      { dimension: "input", quantity: 100n },
      { dimension: "cached_input", quantity: 600n },
      { dimension: "cache_write", quantity: 150n },
      { dimension: "cache_write_1h", quantity: 50n },
      { dimension: "output", quantity: 40n },
    ]);
    expect(JSON.parse(entry?.providerUsage ?? "")).toMatchObject({
      input_tokens: 100,
      cache_creation: { ephemeral_1h_input_tokens: 50 },
    });
  });

  test.each([
    ["auto", "auto", { type: "auto" }],
    ["none", "none", { type: "none" }],
    ["required", "required", { type: "any" }],
    [
      "a named function",
      { type: "function", function: { name: "read_file" } },
      { type: "tool", name: "read_file" },
    ],
  ])("sends the tool choice %s", async (_, tool_choice, sent) => {
    const response = await chat("test-claude", { tools: [readFile], tool_choice });
    expect(response.status).toBe(200);
    expect(lastSent()).toMatchObject({ tool_choice: sent });
  });

  test("calls one tool at most without parallel_tool_calls", async () => {
    const response = await chat("test-claude-parallel", {
      tools: [readFile],
      parallel_tool_calls: false,
    });
    const { choices } = response.body as { choices: { message: { tool_calls: unknown[] } }[] };
    expect(choices[0]?.message.tool_calls).toHaveLength(1);
  });

  test("takes images as data and by URL", async () => {
    const urls = [pixel, "https://example.com/a.png"];
    const parts = urls.map((url) => ({ type: "image_url", image_url: { url } }));
    const content = [{ type: "text", text: "See" }, ...parts];
    const response = await chat("test-claude", { messages: [{ role: "user", content }] });
    expect(response.text).toContain("I see 2 images.");
    const [, data] = pixel.split(",");
    expect(lastSent()).toMatchObject({
      messages: [
        {
          content: [
            { type: "text", text: "See" },
            { type: "image", source: { type: "base64", media_type: "image/png", data } },
            { type: "image", source: { type: "url", url: urls[1] } },
          ],
        },
      ],
    });
  });

  test.each(["json_schema", "json_object"])("responds in the format %s", async (type) => {
    const schema = {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    };
    const response_format = { type, json_schema: { name: "answer", schema } };
    const response = await chat("test-claude", { response_format });
    const { choices } = response.body as { choices: { message: { content: string } }[] };
    const value = JSON.parse(choices[0]?.message.content ?? "") as object;
    if (type === "json_schema") expect(value).toEqual({ city: expect.any(String) });
    else expect(value).toBeTypeOf("object");
  });

  test.each([
    false,
    true,
  ])("keeps signed thinking in a loop of tools; stream: %s", async (stream) => {
    const body = {
      model: "test-claude",
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
          text: expect.stringContaining("The user wrote"),
          signature: expect.stringMatching(/^signature-/),
          format: "anthropic-claude-v1",
          index: 0,
        },
      ],
    });
    expect(lastSent()).toMatchObject({
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 2_000 },
    });
    if (message === undefined) return;
    const [call] = message.tool_calls ?? [];
    messages.push(message, { role: "tool", tool_call_id: call?.id ?? "", content: "text" });
    const done = await client.chat.completions.create({ ...body, messages });
    expect(done.choices[0]?.message.content).toBe("The tool returned: text");
  });

  test.each([false, true])("reports a refusal; stream: %s", async (stream) => {
    const response = await chat("test-claude-refusing", { stream });
    expect(response.text).toContain('"finish_reason":"content_filter"');
    expect(response.text).toContain('"refusal":"The simulator was commanded to refuse."');
  });

  test.each([
    ["has an error event", "test-claude-erring"],
  ])("ends with an error event where the provider's stream %s", async (_, model) => {
    const response = await chat(model, { stream: true });
    const last = eventsOf(response.text).at(-1);
    expect(last).toMatchObject({ error: { code: "upstream_rejected" } });
  });

  test.each([
    ["is overloaded", "test-claude-overloaded", [false, true]],
    ["sends an error event first", "test-claude-erring-first", [true]],
  ])("is served by the next slot, at its price, where the provider %s", async (_, model, modes) => {
    for (const stream of modes) {
      const response = await chat(model, { stream });
      expect(response.status).toBe(200);
      // 3 tokens at 1 USD per million and 6 at 2.
      expect(response.text).toContain('"cost":0.000015');
    }
  });

  test.each([
    ["seed", { seed: 1 }],
    ["n", { n: 2 }],
    ["logit_bias", { logit_bias: { 5: 1 } }],
    ["logprobs", { logprobs: true }],
    ["frequency_penalty", { frequency_penalty: 0.5 }],
    ["presence_penalty", { presence_penalty: 0.5 }],
    ["min_p", { min_p: 0.5 }],
    ["temperature", { temperature: 1.5 }],
    ["top_p", { temperature: 0.5, top_p: 0.5 }],
    ["metadata.team", { metadata: { team: "a" } }],
    ["tools[0].type", { tools: [{ type: "custom", custom: { name: "a" } }] }],
    ["tool_choice", { tools: [readFile], tool_choice: "required", reasoning_effort: "low" }],
  ])("is refused by name before the provider is called: %s", async (param, more) => {
    const before = stack.simulator.calls.list().length;
    const response = await chat("test-claude", { max_tokens: 4_000, ...more });
    expectEnvelope(response, 400, "invalid_param", param);
    expect(stack.simulator.calls.list()).toHaveLength(before);
  });

  test("may have members that change nothing", async () => {
    const neutral = { n: 1, frequency_penalty: 0, presence_penalty: 0, logprobs: false };
    const response = await chat("test-claude", { ...neutral, temperature: 1, top_p: 1 });
    expect(response.status).toBe(200);
  });

  test("has its supported parameters in the model's entry", async () => {
    const { body: mixed } = await send(`${stack.url}/v1/models/test-claude-overloaded`);
    const { body: openai } = await send(`${stack.url}/v1/models/test-small`);
    const of = (body: unknown) => (body as { supported_parameters: string[] }).supported_parameters;
    expect(of(mixed)).toContain("reasoning_effort");
    expect(of(mixed)).not.toContain("seed");
    expect(of(openai)).toContain("seed");
  });
});
