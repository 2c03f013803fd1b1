import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { billPart, pixel } from "../src/chat-parts.ts";
import { send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account, lastSent } = await sharedStack();

const [head = "", data = ""] = pixel.split(",");
const pdf = billPart.file.file_data.split(",")[1] ?? "";
const parameters = { type: "object", properties: { path: { type: "string" } } };
const leftOut = "[image left out: this model does not take it]";
const behind = "[image 1 of the results of tools: see the message after the results]";

const chatCall = (id: string) => ({
  id,
  type: "function",
  function: { name: "read", arguments: "" },
});

/** The same session on each wire: two calls, whose results have a text and an image, and thinking alone. */
const sessions: Record<string, [path: string, body: object]> = {
  chat: [
    "/v1/chat/completions",
    {
      max_tokens: 4_000,
      reasoning_effort: "high",
      tools: [{ type: "function", function: { name: "read", parameters } }],
      messages: [
        { role: "user", content: "Look" },
        { role: "assistant", content: null, reasoning_content: "Hm." },
        {
          role: "assistant",
          content: null,
          tool_calls: [chatCall("toolu_a"), chatCall("toolu_b")],
        },
        {
          role: "tool",
          tool_call_id: "toolu_a",
          content: [
            { type: "text", text: "a.png" },
            { type: "image_url", image_url: { url: pixel, detail: "high" } },
          ],
        },
        { role: "tool", tool_call_id: "toolu_b", content: "" },
        { role: "user", content: "And?" },
      ],
    },
  ],
  messages: [
    "/v1/messages",
    {
      max_tokens: 4_000,
      thinking: { type: "adaptive" },
      cache_control: { type: "ephemeral" },
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      tools: [{ name: "read", input_schema: parameters, cache_control: null }],
      messages: [
        { role: "user", content: "Look" },
        { role: "assistant", content: [{ type: "redacted_thinking", data: "d" }] },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "toolu_a", name: "read", input: {} },
            { type: "tool_use", id: "toolu_b", name: "read", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_a",
              content: [
                { type: "text", text: "a.png" },
                { type: "image", source: { type: "base64", media_type: "image/png", data } },
              ],
            },
            { type: "text", text: "And?" },
          ],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "toolu_b", is_error: true }],
        },
      ],
    },
  ],
  responses: [
    "/v1/responses",
    {
      reasoning: { effort: "medium", context: "all_turns" },
      text: { verbosity: "low" },
      parallel_tool_calls: false,
      input: [
        {
          type: "additional_tools",
          role: "developer",
          tools: [
            {
              type: "namespace",
              name: "n",
              tools: [{ type: "function", name: "read", parameters }],
            },
          ],
        },
        { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] },
        { role: "user", content: "Look" },
        { type: "function_call", call_id: "toolu_a", namespace: "n", name: "read", arguments: "" },
        {
          type: "function_call",
          call_id: "toolu_b",
          namespace: "n",
          name: "read",
          arguments: "{}",
        },
        {
          type: "function_call_output",
          call_id: "toolu_a",
          output: [
            { type: "input_text", text: "a.png" },
            { type: "input_image", image_url: pixel },
          ],
        },
        { type: "function_call_output", call_id: "toolu_b", output: "" },
        { role: "user", content: [{ type: "input_text", text: "And?" }] },
      ],
    },
  ],
};

/** Where each kind's request has the image: in the result, or behind the results. */
const aliases: [alias: string, isInside: boolean][] = [
  ["test-vision", false],
  ["test-mistral", false],
  ["test-cohere", false],
  ["test-gemini", false],
  ["test-gemini-3", true],
  ["test-bedrock", true],
  ["test-bedrock-nova", true],
];

async function post(path: string, body: object) {
  const response = await send(`${stack.url}${path}`, { key: account.key, body });
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  return { response, sent: JSON.stringify(lastSent()) };
}

describe("a session of an agent with an image in a result", () => {
  test.each(
    Object.keys(sessions).flatMap((wire) =>
      aliases.map(([alias, isInside]) => [wire, alias, isInside] as const),
    ),
  )("goes on, on the wire %s with %s", async (wire, model, isInside) => {
    const [path, body] = sessions[wire] ?? ["", {}];
    for (const stream of [false, true]) {
      const { sent } = await post(path, { ...body, model, stream });
      expect(sent.split(data)).toHaveLength(2);
      expect(sent.includes(behind)).toBe(!isInside);
      expect(sent).not.toMatch(/Hm\.|"arguments":""/);
    }
  });

  test.each(
    Object.keys(sessions),
  )("goes on with a note, on the wire %s without vision", async (wire) => {
    const [path, body] = sessions[wire] ?? ["", {}];
    const { sent } = await post(path, { ...body, model: "test-small" });
    expect(sent).toContain(leftOut);
    expect(sent).not.toContain(head);
  });

  test("goes on in a stored conversation, whose next turn is forwarded", async () => {
    const [path, body] = sessions.chat ?? ["", {}];
    const session_id = crypto.randomUUID();
    await post(path, { ...body, model: "test-vision", session_id });
    const messages = [{ role: "user", content: "Once more" }];
    const { sent } = await post(path, { model: "test-vision", session_id, messages });
    expect(sent).toContain(behind);
    expect(sent.split(data)).toHaveLength(2);
  });
});

test.each([
  ["in a result", "a model that takes PDFs", "test-media", true],
  ["in a result", "one that does not", "test-vision", false],
  ["beside a result", "a model that takes PDFs", "test-media", true],
  ["beside a result", "one that does not", "test-small", false],
])("a PDF %s is sent to %s", async (place, _, model, isSent) => {
  const source = { type: "base64", media_type: "application/pdf", data: pdf };
  const read = [{ type: "document", source }];
  const result = { type: "tool_result", tool_use_id: "a" };
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
  const { sent } = await post("/v1/messages", {
    model,
    max_tokens: 50,
    tools: [{ name: "read", input_schema: parameters }],
    messages: [
      { role: "user", content: "Look" },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] },
      {
        role: "user",
        content:
          place === "in a result" ? [{ ...result, content: read }] : [result, ...read, image],
      },
    ],
  });
  expect(sent.includes(pdf)).toBe(isSent);
  expect(sent.includes("[file left out: this model does not take it]")).toBe(!isSent);
  expect(sent.includes(leftOut)).toBe(place === "beside a result");
});

test.each([
  false,
  true,
])("a search of tools is a call of the client; stream: %s", async (stream) => {
  const search = { type: "tool_search", execution: "client", description: "Finds.", parameters };
  const { response } = await post("/v1/responses", {
    model: "test-small",
    stream,
    input: "Find a tool",
    tools: [search],
    tool_choice: "required",
  });
  const items = [...response.text.matchAll(/"type":"tool_search_call","status":"completed"/g)];
  expect(items.length).toBeGreaterThan(0);
  expect(response.text).toContain('"execution":"client","arguments":{');
});

describe("GET /v1/models for clients of Anthropic's API", () => {
  const version = { "anthropic-version": "2023-06-01" };
  const get = (path: string, key = account.key) =>
    send(`${stack.url}${path}`, { headers: { ...version, "x-api-key": key } });

  test("lists the chat models, page by page, and returns one", async () => {
    const client = new Anthropic({ apiKey: account.key, baseURL: stack.url, maxRetries: 0 });
    const ids: string[] = [];
    for await (const { id, type } of client.models.list({ limit: 7 })) {
      expect(type).toBe("model");
      ids.push(id);
    }
    const all = (await get("/v1/models?limit=1000")).body as { data: { id: string }[] };
    expect(ids).toEqual(all.data.map(({ id }) => id));
    expect(ids).toContain("test-small");
    expect(ids).not.toContain("test-hear");
    const [last = ""] = ids.slice(-1);
    const before = await client.models.list({ limit: 2, before_id: last });
    expect(before.data.map(({ id }) => id)).toEqual(ids.slice(-3, -1));
    expect(await client.models.retrieve("test-small")).toEqual({
      type: "model",
      id: "test-small",
      display_name: "test-small",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
  });

  test("lists those that the key may call", async () => {
    const { accountId } = await stack.newAccount(1);
    const { key } = await stack.operator.createKey({
      account: accountId,
      models: ["test-vision*"],
    });
    const { body } = await get("/v1/models", key);
    expect(body).toMatchObject({ has_more: false, first_id: "test-vision" });
    expect((await get("/v1/models/test-small", key)).status).toBe(404);
  });

  test.each([
    ["/v1/models?limit=0", account.key, 400, "invalid_request_error", "invalid_param"],
    ["/v1/models?limit=1001", account.key, 400, "invalid_request_error", "invalid_param"],
    ["/v1/models?after_id=none", account.key, 400, "invalid_request_error", "invalid_param"],
    ["/v1/models?foo=1", account.key, 400, "invalid_request_error", "unknown_param"],
    ["/v1/models/none", account.key, 404, "not_found_error", "model_not_found"],
    ["/v1/models/test-hear", account.key, 404, "not_found_error", "model_not_found"],
    ["/v1/models", "sk-tollgate-none", 401, "authentication_error", "invalid_api_key"],
  ])("refuses %s in Anthropic's form", async (path, key, status, type, code) => {
    const { status: got, body } = await get(path, key);
    expect([got, body]).toMatchObject([status, { type: "error", error: { type, code } }]);
  });

  test("changes nothing for others", async () => {
    const { body } = await send(`${stack.url}/v1/models`, { key: account.key });
    expect(body).toMatchObject({ object: "list" });
    const refused = await send(`${stack.url}/v1/models?limit=5`, { key: account.key });
    expect(refused.body).toMatchObject({ error: { code: "unknown_param", param: "limit" } });
    const ignored = await send(`${stack.url}/v1/models`, { headers: { "x-api-key": "none" } });
    expect(ignored.status).toBe(200);
  });
});
