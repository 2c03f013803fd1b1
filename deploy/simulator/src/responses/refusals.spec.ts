import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../simulator.ts";

const hello = { model: "gpt-5.5", input: "Hello" };
const call = { type: "function_call", call_id: "call_1", name: "read", arguments: "{}" };
const output = { type: "function_call_output", call_id: "call_1", output: "text" };
const read = {
  type: "function",
  name: "read",
  parameters: { type: "object", properties: { path: { type: "string" } } },
};

/** The name of a request, what it has besides `hello`, and the param, code and message of its error. */
type Refusal = readonly [string, object, string | null, string | null, string];

const members: readonly Refusal[] = [
  ["an unknown member", { seed: 1 }, "seed", "unknown_parameter", "Unknown parameter: 'seed'."],
  [
    "a member of chat completions in a message",
    { input: [{ role: "user", content: "a", name: "me" }] },
    "input[0].name",
    "unknown_parameter",
    "Unknown parameter: 'input[0].name'.",
  ],
  [
    "no model",
    { model: undefined },
    "model",
    "missing_required_parameter",
    "Missing required parameter: 'model'.",
  ],
  [
    "an input of another type",
    { input: 3 },
    "input",
    "invalid_type",
    "Invalid type for 'input': expected one of a string or an array of objects, but got an integer instead.",
  ],
  [
    "a wrong type",
    { parallel_tool_calls: "yes" },
    "parallel_tool_calls",
    "invalid_type",
    "Invalid type for 'parallel_tool_calls': expected a boolean, but got a string instead.",
  ],
  [
    "a low limit",
    { max_output_tokens: 1 },
    "max_output_tokens",
    "integer_below_min_value",
    "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.",
  ],
  [
    "a high temperature",
    { temperature: 2.5 },
    "temperature",
    "decimal_above_max_value",
    "Expected a value <= 2, but got 2.5 instead.",
  ],
  [
    "an unknown effort",
    { reasoning: { effort: "huge" } },
    "reasoning.effort",
    "invalid_value",
    "Invalid value: 'huge'. Supported values are: 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', and 'max'.",
  ],
  ["an unknown include", { include: ["everything"] }, "include[0]", "invalid_value", "everything"],
  [
    "too long a value",
    { metadata: { a: "x".repeat(513) } },
    "metadata.a",
    "string_above_max_length",
    "512",
  ],
  ["an unknown tool choice", { tool_choice: "any" }, "tool_choice", "invalid_value", "'required'"],
  [
    "a tool in the form of chat completions",
    { tools: [{ type: "function", function: { name: "a" } }] },
    "tools[0].name",
    "missing_required_parameter",
    "Missing required parameter: 'tools[0].name'.",
  ],
  [
    "a tool name with a space",
    { tools: [{ type: "custom", name: "a b" }] },
    "tools[0].name",
    "invalid_value",
    "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
  ],
];

const items: readonly Refusal[] = [
  [
    "a part in the form of chat completions",
    { input: [{ role: "user", content: [{ type: "text", text: "a" }] }] },
    "input[0].content[0].type",
    "invalid_value",
    "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', 'input_file', and 'input_audio'.",
  ],
  [
    "an input part of the assistant",
    { input: [{ role: "assistant", content: [{ type: "input_text", text: "a" }] }] },
    "input[0].content[0].type",
    "invalid_value",
    "Supported values are: 'output_text' and 'refusal'.",
  ],
  [
    "an unknown role",
    { input: [{ role: "tool", content: "" }] },
    "input[0].role",
    "invalid_value",
    "tool",
  ],
  [
    "an unknown item",
    { input: [{ type: "thought" }] },
    "input[0].type",
    "invalid_value",
    "thought",
  ],
  [
    "the id of another kind of item",
    { input: [{ ...call, id: "call_1" }, output] },
    "input[0].id",
    "invalid_value",
    "Invalid 'input[0].id': 'call_1'. Expected an ID that begins with 'fc'.",
  ],
  [
    "an image without an address",
    { input: [{ role: "user", content: [{ type: "input_image", image_url: "photo.png" }] }] },
    "input[0].content[0].image_url",
    "invalid_value",
    "Expected a valid URL",
  ],
  [
    "an output of no call",
    { input: [output] },
    "input",
    null,
    "No tool call found for function call output with call_id call_1.",
  ],
  [
    "a call without an output",
    { input: [call] },
    "input",
    null,
    "No tool output found for function call call_1.",
  ],
  [
    "an output of a custom tool for a function call",
    { input: [call, { ...output, type: "custom_tool_call_output" }] },
    "input",
    null,
    "No tool output found for function call call_1.",
  ],
  [
    "the reasoning of another provider",
    { input: [{ type: "reasoning", summary: [], encrypted_content: "abcdefghijkl" }] },
    null,
    "invalid_encrypted_content",
    "The encrypted content abcd...ijkl could not be verified.",
  ],
];

const rules: readonly Refusal[] = [
  [
    "a previous response",
    { previous_response_id: "resp_1" },
    "previous_response_id",
    "previous_response_not_found",
    "Previous response with id 'resp_1' not found.",
  ],
  [
    "a response in the background",
    { background: true },
    "background",
    "unsupported_parameter",
    "background",
  ],
  [
    "options of a stream without one",
    { stream_options: {} },
    "stream_options",
    null,
    "only allowed when",
  ],
  ["no input", { input: [] }, "input", "missing_required_parameter", "must be provided"],
  [
    "a required call without tools",
    { tool_choice: "required" },
    "tool_choice",
    null,
    "must be specified",
  ],
  [
    "a choice of no tool of its own",
    { tools: [read], tool_choice: { type: "function", name: "write" } },
    "tool_choice",
    null,
    "Tool choice 'function' not found in 'tools' parameter.",
  ],
  [
    "a strict function that allows other members",
    { tools: [{ ...read, strict: true }] },
    "tools[0].parameters",
    "invalid_function_parameters",
    "Invalid schema for function 'read': In context=(), 'additionalProperties' is required",
  ],
  [
    "a strict format with an optional member",
    {
      text: {
        format: {
          type: "json_schema",
          name: "place",
          strict: true,
          schema: { ...read.parameters, additionalProperties: false },
        },
      },
    },
    "text.format.schema",
    "invalid_json_schema",
    "Missing 'path'.",
  ],
  [
    "JSON that the input does not mention",
    { text: { format: { type: "json_object" } } },
    "input",
    null,
    "must contain the word 'json'",
  ],
];

describe("the Responses route", () => {
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await startSimulator({ port: 0 });
  });

  afterAll(() => simulator.close());

  async function post(body: object, headers: Record<string, string> = {}) {
    const response = await fetch(`${simulator.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: "Bearer key", ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }

  test.each([
    ...members,
    ...items,
    ...rules,
  ])("refuses a request with %s", async (_, more, param, code, message) => {
    const refused = await post({ ...hello, ...more });
    expect(refused).toEqual({
      status: 400,
      body: {
        error: {
          message: expect.stringContaining(message),
          type: "invalid_request_error",
          param,
          code,
        },
      },
    });
  });

  test.each([
    [
      "an item reference",
      { input: [{ type: "item_reference", id: "rs_1" }] },
      "Item with id 'rs_1'",
    ],
    ["a stored reasoning", { input: [{ type: "reasoning", id: "rs_1", summary: [] }] }, "'rs_1'"],
    ["a conversation", { conversation: "conv_1" }, "Conversation with id 'conv_1'"],
    ["a stored prompt", { prompt: { id: "pmpt_1" } }, "Prompt with id 'pmpt_1'"],
  ])("finds no %s, because it stores nothing", async (_, more, message) => {
    const refused = await post({ ...hello, ...more });
    expect(refused).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining(`${message}`) } },
    });
  });

  test("refuses a request without a key", async () => {
    const refused = await post(hello, { authorization: "" });
    expect(refused).toMatchObject({
      status: 401,
      body: { error: { type: "authentication_error" } },
    });
  });
});
