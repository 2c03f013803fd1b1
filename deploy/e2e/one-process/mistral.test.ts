import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { citySchema, pixel, readFile } from "../src/chat-parts.ts";
import { contentOf, reasoningOf } from "../src/chat-response.ts";
import { entryOf } from "../src/ledger.ts";
import { eventsOf, expectEnvelope, requestIdOf } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account, chat, lastCall, lastSent } = await sharedStack();

describe("a chat with a provider of the kind mistral", () => {
  test("is a completion, by Mistral's names", async () => {
    const response = await chat("test-mistral", {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello there" },
      ],
      max_completion_tokens: 50,
      seed: 7,
      stop: "END",
      temperature: 1.5,
      top_p: 0.9,
      frequency_penalty: 0.5,
      presence_penalty: 0.25,
    });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      object: "chat.completion",
      model: "test-mistral",
      choices: [
        {
          finish_reason: "stop",
          message: { role: "assistant", content: "You said: Hello there" },
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 6, cost: 0.000_029 },
    });
    expect(lastCall()).toMatchObject({
      route: "/mistral/v1/chat/completions",
      authorized: true,
      requestId: requestIdOf(response),
    });
    expect(lastSent()).toEqual({
      model: "mistral-large-4",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "Hello there" }] },
      ],
      max_tokens: 50,
      random_seed: 7,
      stop: ["END"],
      temperature: 1.5,
      top_p: 0.9,
      frequency_penalty: 0.5,
      presence_penalty: 0.25,
    });
  });

  test.each([
    ["a completion", {}],
    ["a stream", { stream: true }],
  ])("has a line for each dimension that Mistral reports, in %s", async (_, more) => {
    const response = await chat("test-mistral-cached", more);
    // 100 × 1 + 600 × 0.10 + 40 × 4 = 320 USD per million.
    expect(response.text).toContain('"cost":0.00032');
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry?.lines).toMatchObject([
      { dimension: "input", quantity: 100n },
      { dimension: "cached_input", quantity: 600n },
      { dimension: "output", quantity: 40n },
    ]);
    expect(JSON.parse(entry?.providerUsage ?? "")).toMatchObject({
      prompt_tokens: 700,
      num_cached_tokens: 600,
      completion_tokens: 40,
    });
  });

  test.each([
    ["auto", "auto", "auto"],
    ["none", "none", "none"],
    ["required", "required", "any"],
    [
      "a named function",
      { type: "function", function: { name: "read_file" } },
      { type: "function", function: { name: "read_file" } },
    ],
  ])("sends the tool choice %s", async (_, tool_choice, sent) => {
    const more = { tools: [readFile], tool_choice, parallel_tool_calls: false };
    const response = await chat("test-mistral", more);
    expect(response.status).toBe(200);
    expect(lastSent()).toMatchObject({ tool_choice: sent, parallel_tool_calls: false });
  });

  test("takes images as data and by URL", async () => {
    const urls = [pixel, "https://example.com/a.png"];
    const parts = urls.map((url) => ({ type: "image_url", image_url: { url } }));
    const content = [{ type: "text", text: "See" }, ...parts];
    const response = await chat("test-mistral", { messages: [{ role: "user", content }] });
    expect(response.text).toContain("I see 2 images.");
    const images = urls.map((image_url) => ({ type: "image_url", image_url }));
    expect(lastSent()).toMatchObject({
      messages: [{ role: "user", content: [{ type: "text", text: "See" }, ...images] }],
    });
  });

  test.each([
    ["json_schema", {}],
    ["json_object", {}],
    ["json_schema", { stream: true }],
    ["json_schema", { tools: [readFile], tool_choice: "none" }],
  ])("responds in the format %s with %j", async (type, more) => {
    const json_schema = { name: "answer", strict: true, schema: citySchema };
    const response_format = type === "json_schema" ? { type, json_schema } : { type };
    const response = await chat("test-mistral", { response_format, ...more });
    expect(response.status).toBe(200);
    const value = JSON.parse(contentOf(response.text)) as object;
    if (type === "json_schema") expect(value).toEqual({ city: expect.any(String) });
    else expect(value).toBeTypeOf("object");
    expect(lastSent()).toMatchObject({ response_format });
  });

  test.each([
    ["test-mistral", "low", false],
    ["test-mistral", "low", true],
    ["test-mistral-thinking", "high", false],
    ["test-mistral-thinking", undefined, true],
  ])("returns thinking as reasoning_content, which may be sent back; %s, %s, stream: %s", async (model, effort, stream) => {
    const given = effort === undefined ? {} : { reasoning_effort: effort };
    const response = await chat(model, { ...given, stream });
    expect(reasoningOf(response.text)).toBe("The user wrote something. I will respond to it.");
    expect(contentOf(response.text)).toBe("You said: Hello there");
    if (effort !== undefined) expect(lastSent()).toMatchObject(given);
    const said = { role: "assistant", content: "Hi", reasoning_content: "The user wrote" };
    const user = { role: "user", content: "Go on" };
    const next = await chat(model, { ...given, messages: [user, said, user] });
    expect(next.status).toBe(200);
  });

  test.each([
    ["has an error", "test-mistral-erring"],
  ])("ends with an error event where the provider's stream %s", async (_, model) => {
    const response = await chat(model, { stream: true });
    const last = eventsOf(response.text).at(-1);
    expect(last).toMatchObject({ error: { code: "upstream_rejected" } });
  });

  test.each([
    ["has a model that failed", "test-mistral-failed", [false]],
    ["sends an error first", "test-mistral-erring-first", [true]],
  ])("is served by the next slot, at its price, where the provider %s", async (_, model, modes) => {
    for (const stream of modes) {
      const response = await chat(model, { stream });
      expect(response.status).toBe(200);
      // 3 tokens at 1 USD per million and 6 at 2.
      expect(response.text).toContain('"cost":0.000015');
    }
  });

  test("continues a conversation", async () => {
    const session_id = randomUUID();
    const model = "test-mistral";
    const first = await chat(model, { session_id, tools: [readFile] });
    const { choices } = first.body as { choices: [{ message: { tool_calls: [{ id: string }] } }] };
    const [{ id }] = choices[0].message.tool_calls;
    const result = [{ role: "tool", tool_call_id: id, content: "text" }];
    const second = await chat(model, { session_id, messages: result, tools: [readFile] });
    expect(second.text).toContain("The tool returned: text");
    expect(lastSent()).toMatchObject({
      messages: [
        { role: "user" },
        { role: "assistant", tool_calls: [{ id, function: { name: "read_file" } }] },
        { role: "tool", tool_call_id: id, name: "read_file", content: "text" },
      ],
    });
  });

  test.each([
    ["n", { n: 2 }],
    ["user", { user: "u" }],
    ["metadata", { metadata: { team: "a" } }],
    ["logit_bias", { logit_bias: { 5: 1 } }],
    ["logprobs", { logprobs: true }],
    ["top_k", { top_k: 5 }],
    ["min_p", { min_p: 0.5 }],
    ["temperature", { temperature: 1.6 }],
    ["reasoning_effort", { reasoning_effort: "minimal" }],
    ["tools[0].type", { tools: [{ type: "custom", custom: { name: "a" } }] }],
  ])("is refused by name before the provider is called: %s", async (param, more) => {
    const before = stack.simulator.calls.list().length;
    const response = await chat("test-mistral", more);
    expectEnvelope(response, 400, "invalid_param", param);
    expect(stack.simulator.calls.list()).toHaveLength(before);
  });
});
