import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type CompletionJson,
  chunksIn,
  contentIn,
  type ErrorJson,
  jsonOf,
  payloadsOf,
  postToSimulator,
  simulatorChatBody,
} from "../../test/client.ts";
import { type Simulator, startSimulator } from "../simulator.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ port: 0, nowMs: () => 1_700_000_000_500 });
});
afterAll(() => simulator.close());

async function complete(body: unknown) {
  const response = await postToSimulator(simulator.url, body);
  expect(response.status).toBe(200);
  return jsonOf<CompletionJson>(response);
}

async function stream(fields: Record<string, unknown> = {}) {
  const response = await postToSimulator(
    simulator.url,
    simulatorChatBody({ stream: true, ...fields }),
  );
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  return response.text();
}

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer" } },
      required: ["city"],
    },
  },
};

test("a completion echoes the last user's text in the standard form", async () => {
  const completion = await complete(simulatorChatBody());
  expect(completion).toEqual({
    id: expect.stringMatching(/^chatcmpl-/),
    object: "chat.completion",
    created: 1_700_000_000,
    model: "sim-small",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "You said: hello there", refusal: null },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 3,
      completion_tokens: 6,
      total_tokens: 9,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  });
});

test("equal requests get equal responses", async () => {
  const [one, other] = [await complete(simulatorChatBody()), await complete(simulatorChatBody())];
  expect(one.choices).toEqual(other.choices);
});

test("n sets the number of choices, and the usage counts them all", async () => {
  const completion = await complete(simulatorChatBody({ n: 3 }));
  const contents = completion.choices.map((choice) => choice.message.content);
  expect(contents).toEqual([
    "You said: hello there",
    "You said: hello there (choice 2)",
    "You said: hello there (choice 3)",
  ]);
  expect(completion.usage.completion_tokens).toBe(6 + 8 + 8);
});

test.each(["max_tokens", "max_completion_tokens"])("%s cuts the content", async (limit) => {
  const completion = await complete(simulatorChatBody({ [limit]: 2 }));
  expect(completion.choices[0]!.message.content).toBe("You said");
  expect(completion.choices[0]!.finish_reason).toBe("length");
  expect(completion.usage.completion_tokens).toBe(2);
});

test("images are counted as 85 tokens each", async () => {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const content = [{ type: "text", text: "what?" }, image, image];
  const completion = await complete(simulatorChatBody({ messages: [{ role: "user", content }] }));
  expect(completion.choices[0]!.message.content).toBe("I see 2 images. You said: what?");
  expect(completion.usage.prompt_tokens).toBe(2 + 2 * 85);
});

test("a user's message with tools gets a call with the required arguments", async () => {
  const completion = await complete(simulatorChatBody({ tools: [weather] }));
  const { message, finish_reason } = completion.choices[0]!;
  expect(finish_reason).toBe("tool_calls");
  expect(message.content).toBeNull();
  expect(message.tool_calls![0]!.function.name).toBe("get_weather");
  const args = JSON.parse(message.tool_calls![0]!.function.arguments);
  expect(args).toEqual({ city: "Bern" });
});

test.each([
  [["write_file", "bash", "glob", "read_file"], "read_file"],
  [["todowrite", "webfetch", "fsList"], "fsList"],
  [["find_and_replace", "grep"], "grep"],
  [["bash", "edit"], "bash"],
])("of the tools %j, %s is called: one that only reads, or the first", async (names, called) => {
  const tools = names.map((name) => ({ type: "function", function: { name } }));
  const { message } = (await complete(simulatorChatBody({ tools }))).choices[0]!;
  expect(message.tool_calls![0]!.function.name).toBe(called);
});

test("a tool that reads gets a file that exists, and one that may write gets one that does not", async () => {
  const parameters = { type: "object", properties: { filePath: { type: "string" } } };
  for (const [name, filePath] of Object.entries({ read: "README.md", write: "example.txt" })) {
    const tools = [{ type: "function", function: { name, parameters } }];
    const { message } = (await complete(simulatorChatBody({ tools }))).choices[0]!;
    expect(JSON.parse(message.tool_calls![0]!.function.arguments)).toEqual({ filePath });
  }
});

test("tool_choice names the function, and none turns the tools off", async () => {
  const tools = [weather, { type: "function", function: { name: "stop" } }];
  const choice = { type: "function", function: { name: "stop" } };
  const named = await complete(simulatorChatBody({ tools, tool_choice: choice }));
  expect(named.choices[0]!.message.tool_calls![0]!.function).toEqual({
    name: "stop",
    arguments: "{}",
  });
  const none = await complete(simulatorChatBody({ tools, tool_choice: "none" }));
  expect(none.choices[0]!.message.content).toBe("You said: hello there");
});

test("a tool's result is quoted", async () => {
  const messages = [
    { role: "user", content: "hi" },
    { role: "assistant", content: null, tool_calls: [] },
    { role: "tool", tool_call_id: "call_1", content: "sunny" },
  ];
  const completion = await complete(simulatorChatBody({ tools: [weather], messages }));
  expect(completion.choices[0]!.message.content).toBe("The tool returned: sunny");
});

test("an instruction after the user's message does not stop the tool call", async () => {
  const instruction = { role: "system", content: "be brief" };
  const messages = [{ role: "user", content: "hi" }, instruction];
  const { choices } = await complete(simulatorChatBody({ tools: [weather], messages }));
  expect(choices[0]!.finish_reason).toBe("tool_calls");
});

test("a model that must call a tool calls it after a tool's result, too", async () => {
  const messages = [
    { role: "user", content: "hi" },
    { role: "tool", tool_call_id: "call_1", content: "sunny" },
  ];
  const named = { type: "function", function: { name: "get_weather" } };
  for (const tool_choice of ["required", named]) {
    const { choices } = await complete(
      simulatorChatBody({ tools: [weather], tool_choice, messages }),
    );
    expect(choices[0]!.finish_reason).toBe("tool_calls");
  }
});

const report = {
  type: "object",
  properties: { title: { type: "string", minLength: 40 }, pages: { type: "integer", minimum: 3 } },
  required: ["title", "pages"],
  additionalProperties: false,
};
const reportFormat = {
  response_format: { type: "json_schema", json_schema: { name: "report", schema: report } },
};

test("json_schema gets JSON that matches the schema", async () => {
  const { content } = (await complete(simulatorChatBody(reportFormat))).choices[0]!.message;
  expect(JSON.parse(content)).toEqual({ title: expect.stringMatching(/^.{40,}$/), pages: 3 });
});

test("a stream of json_schema has several chunks, which join to the same JSON", async () => {
  const text = await stream(reportFormat);
  const { content } = (await complete(simulatorChatBody(reportFormat))).choices[0]!.message;
  expect(contentIn(text)).toBe(content);
  const chunks = chunksIn(text).filter(({ choices }) => choices[0]?.delta.content);
  expect(chunks.length).toBeGreaterThan(1);
});

test("json_object gets an object that echoes the user's text", async () => {
  const body = simulatorChatBody({ response_format: { type: "json_object" } });
  const { content } = (await complete(body)).choices[0]!.message;
  expect(JSON.parse(content)).toEqual({ reply: "You said: hello there" });
});

test("the format text gets a sentence", async () => {
  const completion = await complete(simulatorChatBody({ response_format: { type: "text" } }));
  expect(completion.choices[0]!.message.content).toBe("You said: hello there");
});

test("JSON is cut by the token limit, too", async () => {
  const completion = await complete(
    simulatorChatBody({ ...reportFormat, max_completion_tokens: 3 }),
  );
  expect(completion.choices[0]!.finish_reason).toBe("length");
  expect(() => JSON.parse(completion.choices[0]!.message.content)).toThrow(SyntaxError);
});

test("tools come before the format, and a tool's result gets JSON", async () => {
  const fields = { ...reportFormat, tools: [weather] };
  const first = (await complete(simulatorChatBody(fields))).choices[0]!;
  expect(first.finish_reason).toBe("tool_calls");
  const messages = [
    { role: "user", content: "hi" },
    { role: "tool", tool_call_id: "call_1", content: "sunny" },
  ];
  const second = (await complete(simulatorChatBody({ ...fields, messages }))).choices[0]!;
  expect(JSON.parse(second.message.content)).toMatchObject({ pages: 3 });
});

test("a stream has a role, contents, a finish reason and [DONE], and no usage unless requested", async () => {
  const text = await stream();
  const chunks = chunksIn(text);
  expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
  expect(chunks.length).toBe(4);
  expect(contentIn(text)).toBe("You said: hello there");
  expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason)).toEqual([
    null,
    null,
    null,
    "stop",
  ]);
  expect(chunks.every((chunk) => !("usage" in chunk))).toBe(true);
  expect(payloadsOf(text).at(-1)).toBe("[DONE]");
});

test("include_usage adds a last chunk with usage and no choices", async () => {
  const chunks = chunksIn(await stream({ stream_options: { include_usage: true } }));
  expect(chunks.at(-1)?.choices).toEqual([]);
  expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 6 });
  expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
});

test("a stream sends a finish reason for each choice", async () => {
  const text = await stream({ n: 2 });
  expect(contentIn(text, 0)).toBe("You said: hello there");
  expect(contentIn(text, 1)).toBe("You said: hello there (choice 2)");
  const finishes = chunksIn(text).flatMap(({ choices }) => choices[0]?.finish_reason ?? []);
  expect(finishes).toEqual(["stop", "stop"]);
});

test("a streamed tool call has two chunks", async () => {
  const chunks = chunksIn(await stream({ tools: [weather] }));
  const deltas = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
  expect(deltas.length).toBe(2);
  expect(deltas[0]).toMatchObject({ index: 0, function: { name: "get_weather" } });
  const args = deltas.map((delta) => delta.function.arguments).join("");
  expect(JSON.parse(args)).toEqual({ city: "Bern" });
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("tool_calls");
});

test("a stream preserves line ends and spaces", async () => {
  const content = "  one\n\n two   three four\t five six seven\n";
  const text = await stream({ messages: [{ role: "user", content }] });
  expect(contentIn(text)).toBe(`You said: ${content}`);
});

test("invalid JSON and an invalid chat request are a 400", async () => {
  const bad = await postToSimulator(simulator.url, "{");
  expect(bad.status).toBe(400);
  expect(await bad.json()).toEqual({
    error: {
      message: "the body is not valid JSON",
      type: "invalid_request_error",
      param: null,
      code: null,
    },
  });
  const empty = await postToSimulator(simulator.url, { model: "m", messages: [] });
  expect(empty.status).toBe(400);
  expect((await jsonOf<ErrorJson>(empty)).error.param).toBe("messages");
});
