import { randomUUID } from "node:crypto";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { describe, expect, test } from "vitest";
import { citySchema, pixel, readFile } from "../src/chat-parts.ts";
import { contentOf } from "../src/chat-response.ts";
import { entryOf } from "../src/ledger.ts";
import { eventsOf, expectEnvelope, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { continueLoopOfClaude } from "../src/tool-loop.ts";

const { stack, account, client, chat, lastCall, lastSent } = await sharedStack();

describe("a chat with a provider of the kind google", () => {
  test("is a completion, with the model in the path and the key in Google's header", async () => {
    const response = await chat("test-gemini", {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello there" },
      ],
      max_tokens: 50,
      seed: 7,
      stop: "END",
      temperature: 1.5,
      top_p: 0.9,
    });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      object: "chat.completion",
      model: "test-gemini",
      choices: [
        {
          finish_reason: "stop",
          message: { role: "assistant", content: "You said: Hello there" },
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 6, cost: 0.000_027 },
    });
    expect(lastCall()).toMatchObject({
      route: "/google/v1beta/models/gemini-2.5-flash:generateContent",
      authorized: true,
      requestId: requestIdOf(response),
    });
    expect(lastSent()).toEqual({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [{ role: "user", parts: [{ text: "Hello there" }] }],
      generationConfig: {
        maxOutputTokens: 50,
        seed: 7,
        stopSequences: ["END"],
        temperature: 1.5,
        topP: 0.9,
      },
    });
  });

  test.each([
    ["a completion", {}],
    ["a stream", { stream: true }],
  ])("has a line for each dimension that Gemini reports, in %s", async (_, more) => {
    const response = await chat("test-gemini-cached", { ...more, reasoning_effort: "low" });
    // 100 × 1 + 600 × 0.10 + 40 × 4 + 12 thoughts × 5 = 380 USD per million.
    expect(response.text).toContain('"cost":0.00038');
    expect(response.text).toContain('"reasoning_tokens":12');
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry?.lines).toMatchObject([
      { dimension: "input", quantity: 100n },
      { dimension: "cached_input", quantity: 600n },
      { dimension: "output", quantity: 40n },
      { dimension: "reasoning", quantity: 12n },
    ]);
    expect(JSON.parse(entry?.providerUsage ?? "")).toMatchObject({
      promptTokenCount: 700,
      cachedContentTokenCount: 600,
      candidatesTokenCount: 40,
      thoughtsTokenCount: 12,
    });
  });

  test.each([
    "test-gemini",
    "test-gemini-3",
    "test-gemini-parallel",
  ])("calls the tools of %s, in parallel where it does, and takes their results", async (model) => {
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "Read it" }];
    const request = { model, tools: [readFile] };
    const called = await client.chat.completions.create({ ...request, messages });
    const message = called.choices[0]?.message;
    expect(called.choices[0]?.finish_reason).toBe("tool_calls");
    expect(message?.tool_calls).toHaveLength(model === "test-gemini-parallel" ? 3 : 1);
    if (message === undefined) return;
    messages.push(message);
    for (const { id } of message.tool_calls ?? []) {
      messages.push({ role: "tool", tool_call_id: id, content: `contents for ${id}` });
    }
    const done = await client.chat.completions.create({ ...request, messages });
    expect(done.choices[0]?.message.content).toContain("The tool returned: contents for ");
  });

  test.each([
    ["auto", "auto", { mode: "AUTO" }],
    ["none", "none", { mode: "NONE" }],
    ["required", "required", { mode: "ANY" }],
    [
      "a named function",
      { type: "function", function: { name: "read_file" } },
      { mode: "ANY", allowedFunctionNames: ["read_file"] },
    ],
  ])("sends the tool choice %s", async (_, tool_choice, functionCallingConfig) => {
    const response = await chat("test-gemini", { tools: [readFile], tool_choice });
    expect(response.status).toBe(200);
    expect(lastSent()).toMatchObject({ toolConfig: { functionCallingConfig } });
  });

  test("takes images as data and by URL", async () => {
    const urls = [pixel, "https://example.com/a.png"];
    const parts = urls.map((url) => ({ type: "image_url", image_url: { url } }));
    const content = [{ type: "text", text: "See" }, ...parts];
    const response = await chat("test-gemini", { messages: [{ role: "user", content }] });
    expect(response.text).toContain("I see 2 images.");
    const [, data] = pixel.split(",");
    expect(lastSent()).toMatchObject({
      contents: [
        {
          parts: [
            { text: "See" },
            { inlineData: { mimeType: "image/png", data } },
            { fileData: { mimeType: "image/png", fileUri: urls[1] } },
          ],
        },
      ],
    });
  });

  test.each([
    ["json_schema", "test-gemini", {}],
    ["json_object", "test-gemini", {}],
    ["json_schema", "test-gemini", { stream: true }],
    ["json_schema", "test-gemini-3", { tools: [readFile], tool_choice: "none" }],
  ])("responds in the format %s of %s with %j", async (type, model, more) => {
    const response_format = { type, json_schema: { name: "answer", schema: citySchema } };
    const response = await chat(model, { response_format, ...more });
    expect(response.status).toBe(200);
    const value = JSON.parse(contentOf(response.text)) as object;
    if (type === "json_schema") expect(value).toEqual({ city: expect.any(String) });
    else expect(value).toBeTypeOf("object");
  });

  test("responds by a schema beside tools, also by a model that cannot do both", async () => {
    const json_schema = { name: "answer", schema: citySchema };
    const more = { tools: [readFile], response_format: { type: "json_schema", json_schema } };
    const response = await chat("test-gemini", more);
    expect(response.status).toBe(200);
    expect(lastSent()).toMatchObject({
      tools: [{ functionDeclarations: [{ name: "read_file" }, { name: "json" }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY" } },
    });
    expect(lastSent()).not.toHaveProperty("generationConfig.responseMimeType");
  });

  test.each([
    ["test-gemini", false, { thinkingBudget: 2_000 }],
    ["test-gemini", true, { thinkingBudget: 2_000 }],
    ["test-gemini-3", false, { thinkingLevel: "medium" }],
    ["test-gemini-3", true, { thinkingLevel: "medium" }],
  ])("keeps the signatures of thinking in a loop of tools; %s, stream: %s", async (model, stream, thinkingConfig) => {
    const body = {
      model,
      tools: [readFile],
      reasoning_effort: "medium" as const,
      max_tokens: 4_000,
    };
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "Read it" }];
    const called = stream
      ? await client.chat.completions.stream({ ...body, messages }).finalChatCompletion()
      : await client.chat.completions.create({ ...body, messages });
    const message = called.choices[0]?.message;
    const [call] = message?.tool_calls ?? [];
    expect(message).toMatchObject({
      // The helper of streams does not join members that it does not know.
      reasoning_content: expect.stringContaining(stream ? "it." : "The user wrote"),
      reasoning_details: [
        {
          type: "reasoning.encrypted",
          id: call?.id,
          data: expect.any(String),
          format: "google-gemini-v1",
          index: 0,
        },
      ],
    });
    expect(lastSent()).toMatchObject({
      generationConfig: {
        maxOutputTokens: 4_000,
        thinkingConfig: { ...thinkingConfig, includeThoughts: true },
      },
    });
    if (message === undefined) return;
    messages.push(message, { role: "tool", tool_call_id: call?.id ?? "", content: "text" });
    const done = await client.chat.completions.create({ ...body, messages });
    expect(done.choices[0]?.message.content).toBe("The tool returned: text");
    const { reasoning_details } = message as unknown as { reasoning_details: [{ data: string }] };
    const [{ data: thoughtSignature }] = reasoning_details;
    expect(lastSent()).toMatchObject({ contents: [{}, { parts: [{ thoughtSignature }] }, {}] });
  });

  test.each([
    ["test-gemini-refusing", false, '"refusal":"The simulator was commanded to refuse."'],
    ["test-gemini-refusing", true, '"refusal":"The simulator was commanded to refuse."'],
    ["test-gemini-blocked", false, '"refusal":null'],
    ["test-gemini-blocked", true, '"prompt_tokens":3'],
  ])("reports a refusal by the content filter; %s, stream: %s", async (model, stream, refusal) => {
    const response = await chat(model, { stream });
    expect(response.text).toContain('"finish_reason":"content_filter"');
    expect(response.text).toContain(refusal);
  });

  test.each([
    ["has an error", "test-gemini-erring"],
  ])("ends with an error event where the provider's stream %s", async (_, model) => {
    const response = await chat(model, { stream: true });
    const last = eventsOf(response.text).at(-1);
    expect(last).toMatchObject({ error: { code: "upstream_rejected" } });
  });

  test.each([
    ["is overloaded", "test-gemini-overloaded", [false, true]],
    ["limits its rate", "test-gemini-limited", [false, true]],
    ["sends an error first", "test-gemini-erring-first", [true]],
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
      const response = await chat("test-gemini-malformed", { stream });
      expect(response.text).toContain('"finish_reason":"stop"');
      expect(lastCall().model).toContain("malformed_call");
    }
  });

  test("goes on with a loop of tools that another provider's model has begun", async () => {
    const text = await continueLoopOfClaude(client, "test-gemini-after-claude");
    expect(text).toBe("The tool returned: text");
    expect(lastCall().route).toContain("gemini-3-flash-preview");
  });

  test("continues a conversation, with calls that have no signatures there", async () => {
    const session_id = randomUUID();
    const model = "test-gemini-3";
    const first = await chat(model, { session_id, tools: [readFile] });
    const { choices } = first.body as { choices: [{ message: { tool_calls: [{ id: string }] } }] };
    const [{ id }] = choices[0].message.tool_calls;
    const result = [{ role: "tool", tool_call_id: id, content: "text" }];
    const second = await chat(model, { session_id, messages: result, tools: [readFile] });
    expect(second.text).toContain("The tool returned: text");
    expect(lastSent()).toMatchObject({
      contents: [
        { role: "user", parts: [{ text: "Hello there" }] },
        { role: "model", parts: [{ functionCall: { id, name: "read_file" } }] },
        { role: "user", parts: [{ functionResponse: { id, name: "read_file" } }] },
      ],
    });
  });

  test.each([
    ["n", { n: 2 }],
    ["user", { user: "u" }],
    ["metadata", { metadata: { team: "a" } }],
    ["logit_bias", { logit_bias: { 5: 1 } }],
    ["logprobs", { logprobs: true }],
    ["frequency_penalty", { frequency_penalty: 0.5 }],
    ["presence_penalty", { presence_penalty: 0.5 }],
    ["min_p", { min_p: 0.5 }],
    ["parallel_tool_calls", { tools: [readFile], parallel_tool_calls: false }],
    ["tools[0].type", { tools: [{ type: "custom", custom: { name: "a" } }] }],
    ["response_format.type", { tools: [readFile], response_format: { type: "json_object" } }],
  ])("is refused by name before the provider is called: %s", async (param, more) => {
    const before = stack.simulator.calls.list().length;
    const response = await chat("test-gemini", more);
    expectEnvelope(response, 400, "invalid_param", param);
    expect(stack.simulator.calls.list()).toHaveLength(before);
  });

  test("has its supported parameters in the model's entry", async () => {
    const { body } = await send(`${stack.url}/v1/models/test-gemini-after-claude`);
    const { supported_parameters: both } = body as { supported_parameters: string[] };
    expect(both).toContain("reasoning_effort");
    expect(both).not.toContain("seed");
    expect(both).not.toContain("parallel_tool_calls");
    const { body: alone } = await send(`${stack.url}/v1/models/test-gemini`);
    expect(alone).toMatchObject({ supported_parameters: expect.arrayContaining(["seed"]) });
  });
});
