import { describe, expect, test } from "vitest";
import type { HttpResponse } from "../src/http-response.ts";
import { chatBody, expectEnvelope, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account } = await sharedStack({ creditUsd: 1 });

describe("chat requests", () => {
  function post(body: unknown, key: string | undefined = account.key): Promise<HttpResponse> {
    return send(`${stack.url}/v1/chat/completions`, { key, body });
  }

  async function calls(): Promise<number> {
    const response = await send(`${stack.simulator.url}/_simulator/calls`);
    return (response.body as unknown[]).length;
  }

  const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
  const assistant = (more: object) => ({ messages: [{ role: "assistant", ...more }] });
  const toolCall = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };

  test.each<[string, Record<string, unknown>, string, string]>([
    ["an unknown field", { foo: 1 }, "unknown_param", "foo"],
    ["__proto__", JSON.parse('{"__proto__": {}}'), "unknown_param", "__proto__"],
    ["an unknown field before a bad one", { model: 5, foo: 1 }, "unknown_param", "foo"],
    [
      "an unknown stream option",
      { stream_options: { foo: 1 } },
      "unknown_param",
      "stream_options.foo",
    ],
    ["store", { store: true }, "invalid_param", "store"],
    ["service_tier", { service_tier: "auto" }, "invalid_param", "service_tier"],
    ["no model", { model: undefined }, "invalid_param", "model"],
    ["model null", { model: null }, "invalid_param", "model"],
    ["messages null", { messages: null }, "invalid_param", "messages"],
    ["a null message", { messages: [null] }, "invalid_param", "messages[0]"],
    [
      "a role null",
      { messages: [{ role: null, content: "x" }] },
      "invalid_param",
      "messages[0].role",
    ],
    [
      "a part's text null",
      user([{ type: "text", text: null }]),
      "invalid_param",
      "messages[0].content[0].text",
    ],
    ["a null stop sequence", { stop: ["a", null] }, "invalid_param", "stop[1]"],
    ["model number", { model: 1 }, "invalid_param", "model"],
    ["no messages", { messages: undefined }, "invalid_param", "messages"],
    ["empty messages", { messages: [] }, "invalid_param", "messages"],
    ["messages object", { messages: {} }, "invalid_param", "messages"],
    ["message string", { messages: ["hi"] }, "invalid_param", "messages[0]"],
    [
      "bad role",
      { messages: [{ role: "wizard", content: "x" }] },
      "invalid_param",
      "messages[0].role",
    ],
    ["no role", { messages: [{ content: "x" }] }, "invalid_param", "messages[0].role"],
    ["content number", user(5), "invalid_param", "messages[0].content"],
    ["no content", user(undefined), "invalid_param", "messages[0].content"],
    ["content null", user(null), "invalid_param", "messages[0].content"],
    ["no parts", user([]), "invalid_param", "messages[0].content"],
    ["unknown part", user([{ type: "video" }]), "invalid_param", "messages[0].content[0].type"],
    ["part without text", user([{ type: "text" }]), "invalid_param", "messages[0].content[0].text"],
    [
      "second part bad",
      user([
        { type: "text", text: "a" },
        { type: "text", text: 1 },
      ]),
      "invalid_param",
      "messages[0].content[1].text",
    ],
    [
      "image without url",
      user([{ type: "image_url", image_url: {} }]),
      "invalid_param",
      "messages[0].content[0].image_url.url",
    ],
    [
      "image from a file",
      user([{ type: "image_url", image_url: { url: "file:///etc/passwd" } }]),
      "invalid_param",
      "messages[0].content[0].image_url.url",
    ],
    [
      "an image for a model without vision",
      user([{ type: "image_url", image_url: { url: "HTTPS://images.invalid/a.png" } }]),
      "invalid_param",
      "messages[0].content[0]",
    ],
    ["assistant with nothing", assistant({}), "invalid_param", "messages[0].content"],
    [
      "assistant with no tool call",
      assistant({ content: null, tool_calls: [] }),
      "invalid_param",
      "messages",
    ],
    [
      "tool call without id",
      assistant({ tool_calls: [{ ...toolCall, id: undefined }] }),
      "invalid_param",
      "messages[0].tool_calls[0].id",
    ],
    [
      "tool call arguments as object",
      assistant({ tool_calls: [{ ...toolCall, function: { name: "f", arguments: {} } }] }),
      "invalid_param",
      "messages[0].tool_calls[0].function.arguments",
    ],
    [
      "tool result without its call",
      { messages: [{ role: "tool", content: "x" }] },
      "invalid_param",
      "messages[0].tool_call_id",
    ],
    ["stream string", { stream: "true" }, "invalid_param", "stream"],
    ["max_tokens 0", { max_tokens: 0 }, "invalid_param", "max_tokens"],
    ["max_tokens 1.5", { max_tokens: 1.5 }, "invalid_param", "max_tokens"],
    [
      "max_completion_tokens text",
      { max_completion_tokens: "9" },
      "invalid_param",
      "max_completion_tokens",
    ],
    [
      "two ceilings that differ",
      { max_tokens: 5, max_completion_tokens: 6 },
      "invalid_param",
      "max_tokens",
    ],
    ["temperature text", { temperature: "hot" }, "invalid_param", "temperature"],
    ["temperature 3", { temperature: 3 }, "invalid_param", "temperature"],
    ["top_p 2", { top_p: 2 }, "invalid_param", "top_p"],
    ["top_k 0.5", { top_k: 0.5 }, "invalid_param", "top_k"],
    ["min_p -1", { min_p: -1 }, "invalid_param", "min_p"],
    ["frequency_penalty 3", { frequency_penalty: 3 }, "invalid_param", "frequency_penalty"],
    ["presence_penalty text", { presence_penalty: "1" }, "invalid_param", "presence_penalty"],
    ["stop number", { stop: 5 }, "invalid_param", "stop"],
    ["stop array of numbers", { stop: [5] }, "invalid_param", "stop[0]"],
    ["seed text", { seed: "1" }, "invalid_param", "seed"],
    ["seed 1.5", { seed: 1.5 }, "invalid_param", "seed"],
    ["n 0", { n: 0 }, "invalid_param", "n"],
    ["n 1000", { n: 1000 }, "invalid_param", "n"],
    ["logit_bias array", { logit_bias: [] }, "invalid_param", "logit_bias"],
    ["logit_bias text", { logit_bias: { 50256: "x" } }, "invalid_param", "logit_bias.50256"],
    ["user number", { user: 5 }, "invalid_param", "user"],
    [
      "parallel_tool_calls text",
      { parallel_tool_calls: "no" },
      "invalid_param",
      "parallel_tool_calls",
    ],
    ["tools object", { tools: {} }, "invalid_param", "tools"],
    ["tools of strings", { tools: ["x"] }, "invalid_param", "tools[0]"],
    ["tool_choice word", { tool_choice: "maybe" }, "invalid_param", "tool_choice"],
    ["response_format text", { response_format: "json" }, "invalid_param", "response_format"],
    ["reasoning_effort word", { reasoning_effort: "extreme" }, "invalid_param", "reasoning_effort"],
    ["stream_options text", { stream_options: "x" }, "invalid_param", "stream_options"],
    [
      "include_usage text",
      { stream_options: { include_usage: "x" } },
      "invalid_param",
      "stream_options.include_usage",
    ],
    ["metadata text", { metadata: "x" }, "invalid_param", "metadata"],
    ["logprobs number", { logprobs: 1 }, "invalid_param", "logprobs"],
    ["top_logprobs 21", { top_logprobs: 21 }, "invalid_param", "top_logprobs"],
    ["session_id of another form", { session_id: "abc" }, "invalid_param", "session_id"],
    [
      "several choices in a conversation",
      { n: 2, session_id: "0199d1b2-1111-7222-8333-444455556666" },
      "invalid_param",
      "n",
    ],
  ])("%s is a 400 that names the field", async (_, fields, code, param) => {
    const before = await calls();
    const body = Object.assign(chatBody(), fields);
    if (Object.hasOwn(fields, "__proto__")) {
      Object.defineProperty(body, "__proto__", { value: {}, enumerable: true });
    }
    expectEnvelope(await post(body), 400, code, param);
    expect(await calls()).toBe(before);
  });

  test.each<[string, Record<string, unknown>]>([
    ["null for optional fields", { temperature: null, stop: null, stream: null, n: null }],
    [
      "null for other optional fields",
      { tools: null, stream_options: null, store: null, service_tier: null, session_id: null },
    ],
    ["null inside stream_options", { stream_options: { include_usage: null } }],
    [
      "null for optional fields of messages and parts",
      {
        messages: [
          { role: "user", content: "x", name: null },
          {
            role: "assistant",
            content: null,
            refusal: null,
            name: null,
            tool_calls: [{ ...toolCall, custom: null }],
          },
          { role: "tool", content: "x", tool_call_id: "c1" },
        ],
      },
    ],
    ["every sampling field", { temperature: 0.5, top_p: 0.9, top_k: 40, min_p: 0.1, seed: 7 }],
    ["a seed of 64 bits", { seed: 2 ** 63 }],
    ["penalties and bias", { frequency_penalty: -2, presence_penalty: 2, logit_bias: { 5: -100 } }],
    ["equal ceilings", { max_tokens: 9, max_completion_tokens: 9 }],
    ["stop sequences", { stop: ["a", "b"] }],
    ["a named tool", { tool_choice: { type: "function", function: { name: "f" } } }],
    ["effort and format", { reasoning_effort: "xhigh", response_format: { type: "json_object" } }],
    ["logprobs", { logprobs: true, top_logprobs: 20 }],
    [
      "user, metadata and parallel tool calls",
      { user: "u", metadata: { a: "b" }, parallel_tool_calls: false },
    ],
    ["a message without tool calls, sent back", assistant({ content: "x", tool_calls: [] })],
    ["extra keys of a message", { messages: [{ role: "user", content: "x", cache_control: {} }] }],
    [
      "a developer message",
      { messages: [{ role: "developer", content: [{ type: "text", text: "x" }] }] },
    ],
  ])("%s is accepted", async (_, fields) => {
    expect((await post(chatBody(fields))).status).toBe(200);
  });

  test("the provider receives no top-level field that is null", async () => {
    const nulls = { tools: null, tool_choice: null, response_format: null, logit_bias: null };
    expect((await post(chatBody({ ...nulls, user: "nulls" }))).status).toBe(200);
    const callLog = await send(`${stack.simulator.url}/_simulator/calls?user=nulls`);
    const [call] = callLog.body as { body: object }[];
    expect(Object.values(call?.body ?? {})).not.toContain(null);
  });

  test.each<[string, object, string]>([
    ["a missing field", { messages: undefined }, "messages is required."],
    ["a wrong type", { temperature: "hot" }, "temperature must be a number from 0 to 2."],
    [
      "a wrong union",
      { tool_choice: 5 },
      'tool_choice must be "none", "auto", "required" or an object that names a tool.',
    ],
    [
      "an image as text",
      user([{ type: "image_url", image_url: "https://images.invalid/a.png" }]),
      "messages[0].content[0].image_url must be an object with a url.",
    ],
    [
      "a tool without its function",
      { tools: [{ type: "function", function: null }] },
      "tools[0].function is required.",
    ],
    [
      "a tool without a name",
      { tools: [{ type: "custom", custom: {} }] },
      "tools[0].custom.name is required.",
    ],
    [
      "an unknown role",
      { messages: [{ role: "wizard", content: "x" }] },
      'messages[0].role must be one of "system", "developer", "user", "assistant", "tool".',
    ],
  ])("the error of %s says what is allowed", async (_, fields, message) => {
    const { body } = await post(Object.assign(chatBody(), fields));
    expect((body as { error: { message: string } }).error.message).toBe(message);
  });

  test("a model takes the members that its catalog entry passes, on every slot, and no others", async () => {
    const passed = { prompt_cache_key: "k", verbosity: "low", safety_identifier: { a: [1] } };
    const absent = { prompt_cache_key: "k", verbosity: "low", safety_identifier: null };
    expect(
      (await post(chatBody({ model: "test-passing", user: "absent", ...absent }))).status,
    ).toBe(200);
    const [first] = (await send(`${stack.simulator.url}/_simulator/calls?user=absent`)).body as {
      body: object;
    }[];
    expect(first?.body).not.toHaveProperty("safety_identifier");
    const body = chatBody({ model: "test-passing", user: "passing", ...passed });
    expect((await post(body)).status).toBe(200);
    const { body: calls } = await send(`${stack.simulator.url}/_simulator/calls?user=passing`);
    expect(calls).toMatchObject([{ body: passed }, { body: passed }]);
    const unknown = await post({ ...body, prompt_cache_kee: "k" });
    expectEnvelope(unknown, 400, "unknown_param", "prompt_cache_kee");
    for (const model of ["test-small", "no-such", "test-unlisted"]) {
      const refused = await post({ ...body, model });
      expectEnvelope(refused, 400, "unknown_param", "prompt_cache_key");
    }
  });

  test("the provider receives the client's fields and no others", async () => {
    const fields = { user: "exact", seed: 7, metadata: { a: "b" }, stop: ["x"], top_k: 3 };
    expect((await post(chatBody({ ...fields, max_tokens: 12 }))).status).toBe(200);
    const callLog = await send(`${stack.simulator.url}/_simulator/calls?user=exact`);
    const [call] = callLog.body as { body: unknown }[];
    expect(call?.body).toEqual({
      model: "small",
      messages: [{ role: "user", content: "Hello there" }],
      max_tokens: 12,
      ...fields,
    });
  });

  test.each<[string, string | Uint8Array]>([
    ["nothing", ""],
    ["no JSON", "{"],
    ["an array", "[]"],
    ["a string", '"x"'],
    ["null", "null"],
    ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["a body nested a hundred thousand deep", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["a body of more than a million arrays", `{"a":[${"[],".repeat(1_000_000)}[]]}`],
    ["a body of more than a million members", `{"a":{${'"":0,'.repeat(1_000_000)}"":0}}`],
  ])("%s is invalid_json", async (_, body) => {
    expectEnvelope(await post(body), 400, "invalid_json");
  });

  test("a body over 32 MiB is invalid_json, with and without a content length", async () => {
    const huge = JSON.stringify(chatBody({ user: "x".repeat(33 * 1024 * 1024) }));
    expectEnvelope(await post(huge), 400, "invalid_json");
    const chunked = await fetch(`${stack.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}` },
      body: new Blob([huge]).stream(),
      duplex: "half",
    } as RequestInit);
    expect(chunked.status).toBe(400);
  });

  test("a key that is missing, malformed or unknown is 401", async () => {
    expectEnvelope(await post(chatBody(), ""), 401, "invalid_api_key");
    expectEnvelope(await post(chatBody(), "sk-other-abc"), 401, "invalid_api_key");
    expectEnvelope(await post(chatBody(), `${account.key}x`), 401, "invalid_api_key");
    const basic = { headers: { authorization: "Basic abc" }, body: chatBody() };
    expectEnvelope(await send(`${stack.url}/v1/chat/completions`, basic), 401, "invalid_api_key");
  });

  test("an invalid field is reported before an unknown model, and every unavailable model alike", async () => {
    expectEnvelope(await post(chatBody({ model: "no-such", n: 0 })), 400, "invalid_param", "n");
    for (const model of ["no-such", "test-unlisted", "test-internal", "test-embed", "__proto__"]) {
      expectEnvelope(await post(chatBody({ model })), 404, "model_not_found", "model");
    }
  });

  test("a query parameter on chat is refused by name", async () => {
    const url = `${stack.url}/v1/chat/completions?debug=1`;
    const response = await send(url, { key: account.key, body: chatBody() });
    expectEnvelope(response, 400, "unknown_param", "debug");
  });

  test("unknown paths are 404, other methods 405 with the allowed methods", async () => {
    for (const path of ["/v1", "/v2/models", "/v1/chat/completions/", "/v1/%zz"]) {
      expectEnvelope(await send(`${stack.url}${path}`), 404, "not_found");
    }
    const response = await send(`${stack.url}/v1/chat/completions`, { method: "DELETE" });
    expectEnvelope(response, 405, "method_not_allowed");
    expect(response.headers.get("allow")).toBe("POST");
    const models = await send(`${stack.url}/v1/models`, { method: "POST", body: {} });
    expectEnvelope(models, 405, "method_not_allowed");
  });

  test("model routes need no key, and refuse an unknown one", async () => {
    expect((await send(`${stack.url}/v1/models`)).status).toBe(200);
    expect((await send(`${stack.url}/v1/models/test-small`)).status).toBe(200);
    expectEnvelope(await send(`${stack.url}/v1/models`, { key: "sk-x" }), 401, "invalid_api_key");
    for (const alias of ["no-such", "test-unlisted", "test-internal", "a/b"]) {
      const response = await send(`${stack.url}/v1/models/${alias}`);
      expectEnvelope(response, 404, "model_not_found");
    }
  });

  test("a token limit beyond the wallet is lowered to what it affords", async () => {
    const response = await post(chatBody({ max_tokens: Number.MAX_SAFE_INTEGER, n: 128 }));
    expect(response.status).toBe(200);
  });

  test("a client's own request id is never adopted", async () => {
    const headers = { "x-request-id": "req_00000000000000000000000000000000" };
    const response = await send(`${stack.url}/v1/health`, { headers });
    expect(response.headers.get("x-request-id")).not.toBe(headers["x-request-id"]);
  });
});
