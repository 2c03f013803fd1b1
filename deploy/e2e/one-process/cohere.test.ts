import { describe, expect, test } from "vitest";
import { citySchema, pixel, readFile } from "../src/chat-parts.ts";
import { contentOf, reasoningOf } from "../src/chat-response.ts";
import { entryOf } from "../src/ledger.ts";
import { expectEnvelope, requestIdOf } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account, chat, lastCall, lastSent } = await sharedStack();

describe("a chat with a provider of the kind cohere", () => {
  test("is a completion, by Cohere's names", async () => {
    const response = await chat("test-cohere", {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello there" },
      ],
      max_tokens: 50,
      seed: 7,
      stop: "END",
      top_p: 0.9,
      top_k: 5,
    });
    expect(response.body).toMatchObject({
      choices: [{ finish_reason: "stop", message: { content: "You said: Hello there" } }],
      usage: { prompt_tokens: 5, completion_tokens: 6, cost: 0.000_029 },
    });
    expect(lastCall()).toMatchObject({ route: "/cohere/v2/chat", authorized: true });
    expect(lastSent()).toEqual({
      model: "command-a-reasoning-08-2025",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello there" },
      ],
      max_tokens: 50,
      seed: 7,
      stop_sequences: ["END"],
      p: 0.9,
      k: 5,
    });
  });

  test.each([
    ["a completion", {}],
    ["a stream", { stream: true }],
  ])("is billed by the units that Cohere bills, without the tokens of its cache, in %s", async (_, more) => {
    const response = await chat("test-cohere-cached", more);
    // 100 × 1 + 40 × 4 = 260 USD per million.
    expect(response.text).toContain('"cost":0.00026');
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry?.lines).toMatchObject([
      { dimension: "input", quantity: 100n },
      { dimension: "output", quantity: 40n },
    ]);
  });

  test.each([false, true])("returns thinking as reasoning_content; stream: %s", async (stream) => {
    const more = { reasoning_effort: "medium", max_tokens: 4_000, stream };
    const response = await chat("test-cohere", more);
    expect(reasoningOf(response.text)).toBe("The user wrote something. I will respond to it.");
    expect(contentOf(response.text)).toBe("You said: Hello there");
    expect(lastSent()).toMatchObject({ thinking: { type: "enabled", token_budget: 2_000 } });
  });

  test("takes images as data and by URL", async () => {
    const urls = [pixel, "https://example.com/a.png"];
    const parts = urls.map((url) => ({ type: "image_url", image_url: { url } }));
    const content = [{ type: "text", text: "See" }, ...parts];
    const response = await chat("test-cohere", { messages: [{ role: "user", content }] });
    expect(response.text).toContain("I see 2 images.");
    expect(lastSent()).toMatchObject({ messages: [{ content }] });
  });

  test.each([false, true])("responds by a schema; stream: %s", async (stream) => {
    const json_schema = { name: "answer", schema: citySchema };
    const response_format = { type: "json_schema", json_schema };
    const response = await chat("test-cohere", { response_format, stream });
    expect(JSON.parse(contentOf(response.text))).toEqual({ city: expect.any(String) });
  });

  test("sends the text of a message with calls as its tool_plan", async () => {
    const called = { name: "read_file", arguments: "{}" };
    const tool_calls = [{ id: "c", type: "function", function: called }];
    const messages = [
      { role: "user", content: "Read it" },
      { role: "assistant", content: "I will read it.", tool_calls },
      { role: "tool", tool_call_id: "c", content: "text" },
    ];
    const response = await chat("test-cohere", { tools: [readFile], messages });
    expect(response.text).toContain("The tool returned: text");
    const planned = { role: "assistant", tool_plan: "I will read it.", tool_calls };
    expect((lastSent().messages as object[])[1]).toEqual(planned);
  });

  test.each([
    ["n", { n: 2 }],
    ["user", { user: "u" }],
    ["temperature", { temperature: 1.5 }],
    ["presence_penalty", { presence_penalty: -1 }],
    ["parallel_tool_calls", { tools: [readFile], parallel_tool_calls: false }],
    ["response_format", { tools: [readFile], response_format: { type: "json_object" } }],
    [
      "tools[0].function.strict",
      { tools: [{ type: "function", function: { ...readFile.function, strict: true } }] },
    ],
  ])("is refused by name before the provider is called: %s", async (param, more) => {
    const before = stack.simulator.calls.list().length;
    const response = await chat("test-cohere", more);
    expectEnvelope(response, 400, "invalid_param", param);
    expect(stack.simulator.calls.list()).toHaveLength(before);
  });

  test.each([
    ["has a model that failed", "test-cohere-failed", [false]],
  ])("is served by the next slot, at its price, where the provider %s", async (_, model, modes) => {
    for (const stream of modes) {
      const response = await chat(model, { stream });
      expect(response.status).toBe(200);
      // 3 tokens at 1 USD per million and 6 at 2.
      expect(response.text).toContain('"cost":0.000015');
    }
  });
});
