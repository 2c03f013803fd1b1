import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import type { FunctionTool, ResponseInputItem } from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { pixel } from "../src/chat-parts.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf, readWalletRow } from "../src/ledger.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { eventsOf, expectEnvelope, requestIdOf } from "../src/request.ts";
import { responsesClient } from "../src/responses-client.ts";
import { sharedStack } from "../src/shared-stack.ts";

type Event = { type: string; sequence_number: number; [member: string]: unknown };

const readFile: FunctionTool = {
  type: "function",
  name: "read_file",
  description: "Reads a file.",
  strict: false,
  parameters: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
};

const { stack, account, client, lastSent } = await sharedStack();
const { post } = responsesClient(stack, account);

describe("POST /v1/responses", () => {
  const models = [
    "test-gpt",
    "test-small",
    "test-claude",
    "test-gemini-3",
    "test-bedrock",
    "test-mistral",
  ];

  describe.each(models)("for the alias %s", (model) => {
    test("the SDK gets a response, a stream of the same text, and a parsed one", async () => {
      const input = [{ role: "user" as const, content: "Hello there" }];
      const response = await client.responses.create({
        model,
        input,
        instructions: "Be brief.",
        store: false,
      });
      expect(response).toMatchObject({
        object: "response",
        model,
        status: "completed",
        output_text: "You said: Hello there",
        store: false,
        usage: { input_tokens: expect.any(Number), total_tokens: expect.any(Number) },
      });
      const texts: string[] = [];
      const stream = client.responses
        .stream({ model, input })
        .on("response.output_text.delta", ({ delta }) => texts.push(delta));
      const final = await stream.finalResponse();
      expect([texts.join(""), final.output_text, final.status]).toEqual([
        "You said: Hello there",
        "You said: Hello there",
        "completed",
      ]);
      const format = zodTextFormat(z.object({ city: z.string() }), "place");
      const parsed = await client.responses.parse({ model, input, text: { format } });
      expect(parsed.output_parsed).toEqual({ city: expect.any(String) });
    });

    test("a tool loop ends, with the same calls in a response and in a stream", async () => {
      const input: ResponseInputItem[] = [{ role: "user", content: "Read it" }];
      const request = { model, tools: [readFile] };
      const called = await client.responses.create({ ...request, input });
      const streamed = await client.responses.stream({ ...request, input }).finalResponse();
      const calls = callsOf(called);
      expect(calls).toMatchObject([
        { name: "read_file", arguments: expect.stringContaining("path") },
      ]);
      expect(callsOf(streamed).map((call) => call.arguments)).toEqual(
        calls.map((call) => call.arguments),
      );
      for (const item of streamed.output) {
        const { parsed_arguments: _, ...sent } = item as { parsed_arguments?: unknown };
        input.push(sent as ResponseInputItem);
      }
      for (const { call_id } of callsOf(streamed)) {
        input.push({ type: "function_call_output", call_id, output: "contents of it" });
      }
      const done = await client.responses.create({ ...request, input });
      expect(done.output_text).toContain("The tool returned: contents of it");
    });

    test("a custom tool's free text goes in and comes back", async () => {
      const tools = [
        { type: "custom" as const, name: "apply_patch", description: "Applies a patch." },
      ];
      const input: ResponseInputItem[] = [{ role: "user", content: "Patch it" }];
      const { output } = await client.responses.stream({ model, tools, input }).finalResponse();
      const call = output.find((item) => item.type === "custom_tool_call");
      expect(call).toMatchObject({ name: "apply_patch", input: expect.any(String) });
      if (call === undefined) return;
      for (const item of output) input.push(item as ResponseInputItem);
      input.push({ type: "custom_tool_call_output", call_id: call.call_id, output: "patched" });
      const done = await client.responses.create({ model, tools, input });
      expect(done.output_text).toContain("The tool returned: patched");
    });
  });

  const requests: [string, object][] = [
    ["a text", {}],
    ["a tool call", { tools: [readFile], tool_choice: "required" }],
    ["reasoning", { reasoning: { effort: "low" }, include: ["reasoning.encrypted_content"] }],
    [
      "members that the gateway does not read",
      {
        truncation: "auto",
        service_tier: "default",
        max_tool_calls: 3,
        text: { verbosity: "low" },
      },
    ],
  ];

  describe.each(requests)("with %s, at a provider of the Responses API", (_, more) => {
    test.each([
      [false, { max_output_tokens: 100 }],
      [true, { max_output_tokens: 100 }],
      [true, {}],
    ])("is forwarded byte for byte both ways (stream: %s, %j)", async (stream, limit) => {
      const body = { input: "Hello there", store: false, stream, ...limit, ...more };
      const response = await post("test-gpt", body);
      expect([response.status, response.text]).toEqual([200, expect.any(String)]);
      // Without a limit of the client, that of the model is sent.
      const ceiling = "max_output_tokens" in limit ? {} : { max_output_tokens: 4_096 };
      const sent = { ...body, ...ceiling, model: "gpt-5.4" };
      expect(lastSent()).toEqual(sent);
      const asked = await fetch(`${stack.simulator.url}/v1/responses`, {
        method: "POST",
        headers: { authorization: "Bearer k" },
        body: JSON.stringify(sent),
      });
      const expected = (await asked.text()).replaceAll("gpt-5.4", "test-gpt");
      expect(withoutIds(response.text)).toBe(withoutIds(expected));
    });
  });

  test.each([
    false,
    true,
  ])("is metered by dimension at a provider of the API (stream: %s)", async (stream) => {
    const response = await post("test-gpt-cached", { stream });
    const entry = await entryOf(stack, account, requestIdOf(response));
    // 100 × 3 + 600 × 0.30 + 40 × 15 = 1080 USD per million tokens.
    expect(entry).toMatchObject({ amountNanoUsd: -1_080_000n });
    expect(entry?.lines).toMatchObject([
      { dimension: "input", quantity: 100n },
      { dimension: "cached_input", quantity: 600n },
      { dimension: "output", quantity: 40n },
    ]);
  });

  test.each([
    "test-gpt-slow",
    "test-gemini-slow",
  ])("a client of %s that disconnects pays for what it was sent", async (model) => {
    const abort = new AbortController();
    const response = await fetch(`${stack.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}` },
      body: JSON.stringify({ model, stream: true, input: "Hello there" }),
      signal: abort.signal,
    });
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString("utf8");
      if (text.split("output_text.delta").length > 8) break;
    }
    abort.abort();
    await eventually(async () => {
      const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
      expect(entry).toMatchObject({ basis: "tokenized" });
      expect(entry?.amountNanoUsd).toBeLessThan(0n);
    });
  });

  test("the events of a stream have the documented order, numbers and ids", async () => {
    const response = await post("test-gemini-3", {
      stream: true,
      tools: [readFile],
      reasoning: { effort: "low", summary: "auto" },
    });
    const events = eventsOf(response.text) as Event[];
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    const types = events.map(({ type }) => type.replace("response.", ""));
    expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
      "completed",
    ]);
    const done = events.filter(({ type }) => type === "response.output_item.done");
    const final = (events.at(-1) as Event).response as { id: string; output: object[] };
    expect(final.output).toEqual(done.map(({ item }) => item));
    expect(events[0]).toMatchObject({ response: { id: final.id } });
  });

  test("signed reasoning comes back in a tool loop over Gemini, and is left out at Claude", async () => {
    const input: ResponseInputItem[] = [{ role: "user", content: "Read it" }];
    const reasoning = { effort: "low" as const };
    const request = {
      tools: [readFile],
      reasoning,
      include: ["reasoning.encrypted_content" as const],
    };
    const called = await client.responses.create({ ...request, model: "test-gemini-3", input });
    expect(called.output.map(({ type }) => type)).toEqual(["reasoning", "function_call"]);
    for (const item of called.output) input.push(item as ResponseInputItem);
    for (const { call_id } of callsOf(called)) {
      input.push({ type: "function_call_output", call_id, output: "contents of it" });
    }
    await client.responses.create({ ...request, model: "test-gemini-3", input });
    expect(JSON.stringify(lastSent())).toContain("thoughtSignature");
  });

  test("members become those of a chat completion", async () => {
    const response = await post("test-passing", {
      instructions: "Be brief.",
      input: [
        { role: "developer", content: "Be kind." },
        { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] },
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }] },
        { role: "assistant", content: [{ type: "output_text", text: "Hi" }] },
        { type: "function_call", call_id: "c1", name: "read_file", arguments: "{}" },
        {
          type: "function_call",
          call_id: "c2",
          name: "close",
          namespace: "agents",
          arguments: "{}",
        },
        { type: "function_call_output", call_id: "c1", output: "one" },
        {
          type: "function_call_output",
          call_id: "c2",
          output: [{ type: "input_text", text: "two" }],
        },
      ],
      max_output_tokens: 400,
      temperature: 0.5,
      tools: [
        readFile,
        { type: "namespace", name: "agents", tools: [{ type: "function", name: "close" }] },
        { type: "web_search", external_web_access: false },
      ],
      tool_choice: "required",
      parallel_tool_calls: false,
      reasoning: { effort: "low", summary: "auto" },
      text: { verbosity: "low" },
      prompt_cache_key: "k1",
      safety_identifier: "u7",
      client_metadata: { thread_id: "t" },
      store: false,
    });
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    expect(lastSent()).toEqual({
      model: "passing",
      max_completion_tokens: 400,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "developer", content: "Be kind." },
        { role: "user", content: "Hello" },
        {
          role: "assistant",
          content: "Hi",
          reasoning_content: "Hm.",
          tool_calls: [
            { id: "c1", type: "function", function: { name: "read_file", arguments: "{}" } },
            { id: "c2", type: "function", function: { name: "agents__close", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "one" },
        { role: "tool", tool_call_id: "c2", content: "two" },
      ],
      temperature: 0.5,
      tools: [
        {
          type: "function",
          function: {
            name: "read_file",
            description: "Reads a file.",
            parameters: readFile.parameters,
            strict: false,
          },
        },
        {
          type: "function",
          function: { name: "agents__close", parameters: { type: "object", properties: {} } },
        },
      ],
      tool_choice: "required",
      parallel_tool_calls: false,
      reasoning_effort: "low",
      verbosity: "low",
      prompt_cache_key: "k1",
      user: "u7",
    });
  });

  test("images are sent on", async () => {
    const content = [
      { type: "input_image", image_url: pixel },
      { type: "input_text", text: "What is it?" },
    ];
    const response = await post("test-vision", { input: [{ role: "user", content }] });
    expect(response.text).toContain("I see 1 image.");
    const refused = await post("test-small", { input: [{ role: "user", content }] });
    expectEnvelope(refused, 400, "invalid_param", "input[0].content[0]");
  });

  test.each([
    false,
    true,
  ])("an output limit that is reached is an incomplete response (stream: %s)", async (stream) => {
    const response = await post("test-small", { max_output_tokens: 2, stream });
    const final = stream ? (eventsOf(response.text) as Event[]).at(-1)?.response : response.body;
    expect(final).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
  });

  test.each([
    "test-cut",
    "test-claude-cut",
    "test-gpt-cut",
    "test-gpt-failed",
  ])("a stream of %s that breaks ends as failed", async (model) => {
    const response = await post(model, { stream: true });
    const events = eventsOf(response.text) as Event[];
    const last = events.at(-1);
    expect(last).toMatchObject({
      type: "response.failed",
      sequence_number: events.length - 1,
      response: {
        id: expect.stringMatching(/^resp_/),
        status: "failed",
        error: { code: "upstream_rejected" },
      },
    });
  });

  test.each([
    ["test-claude-overloaded", true],
    ["test-gpt-down", false],
    ["test-gpt-limited", true],
    ["test-gpt-failed-first", true],
  ])("%s fails over to the next slot, at its price (stream: %s)", async (model, stream) => {
    const response = await post(model, { stream });
    const entry = await entryOf(stack, account, requestIdOf(response));
    // 3 × 1 + 6 × 2 USD per million tokens.
    expect(entry).toMatchObject({ amountNanoUsd: -15_000n });
  });

  test.each([
    "test-long",
    "test-gpt-long",
  ])("streams of %s that the wallet does not pay in full are incomplete, and bill what was delivered", async (model) => {
    const shared = await stack.newAccount(0.07);
    const sdk = new OpenAI({ apiKey: shared.key, baseURL: `${stack.url}/v1`, maxRetries: 0 });
    const request = { model, max_output_tokens: 4_000, input: "Hello there" };
    const ended = await Promise.all(
      [1, 2].map(() => sdk.responses.stream(request).finalResponse()),
    );
    expect(ended.map(({ status }) => status)).toContain("incomplete");
    await eventually(async () => {
      const { balance, held, entries } = await readWalletRow(stack, shared);
      expect([held, balance >= 0n]).toEqual([0n, true]);
      expect(entries.every(({ uncollected }) => uncollected === 0n)).toBe(true);
      const delivered = ended.reduce((sum, { output_text }) => sum + output_text.length / 4, 0);
      const spent = Number(nanoUsd(0.07) - balance);
      expect(Math.abs(spent / 15_000 / delivered - 1)).toBeLessThan(0.05);
    });
  });

  test("a retry with its idempotency key is replayed at no cost", async () => {
    const headers = { "idempotency-key": `r-${Date.now()}` };
    const first = await post("test-small", { stream: true }, headers);
    const again = await post("test-small", { stream: true }, headers);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });
});

/** Leaves out what the simulator numbers, and the time. */
function withoutIds(text: string): string {
  return text
    .replaceAll(/(?<="(?:created_at|completed_at)": ?)\d+/g, "0")
    .replaceAll(/\b(resp|msg|fc|ctc|rs|call|enc)_[\w-]+/g, "$1")
    .replaceAll(/"encrypted_content": ?"[^"]*"/g, '"encrypted_content":""');
}

function callsOf({ output }: OpenAI.Responses.Response) {
  return output.filter((item) => item.type === "function_call");
}
