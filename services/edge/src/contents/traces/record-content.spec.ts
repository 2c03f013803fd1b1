import type { Attributes, Span } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { CollectedContent } from "../collected-content.ts";
import { ContentSpace } from "../content-space.ts";
import { maxAttributeLength, recordContent } from "./record-content.ts";

/** Returns what a span gets of a request and its response. */
function recorded(request: object | string, response: object | string = "") {
  const textOf = (value: object | string) =>
    typeof value === "string" ? value : JSON.stringify(value);
  const ids = { requestId: "req_1", accountId: "a" };
  const asked = { text: Buffer.from(textOf(request)), isCut: false };
  const content = new CollectedContent(ids, asked, new ContentSpace());
  content.addWhole(Buffer.from(textOf(response)));
  let attributes: Attributes = {};
  const setAttributes = (given: Attributes) => {
    attributes = given;
  };
  recordContent({ setAttributes } as unknown as Span, content);
  const of = (name: string) => {
    const text = attributes[name];
    return text === undefined ? undefined : JSON.parse(String(text));
  };
  return {
    system: of("gen_ai.system_instructions"),
    input: of("gen_ai.input.messages"),
    output: of("gen_ai.output.messages"),
    isCut: attributes["tollgate.content.is_cut"],
  };
}

const events = (...all: object[]) =>
  all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const text = (content: string) => ({ type: "text", content });
const call = (args: unknown) => ({ type: "tool_call", id: "c1", name: "look", arguments: args });

test("chat completions have their messages, with calls of tools and their results", () => {
  const called = { id: "c1", type: "function", function: { name: "look", arguments: '{"at":1}' } };
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Look" }, { type: "image_url" }] },
    { role: "assistant", content: null, tool_calls: [called] },
    { role: "tool", tool_call_id: "c1", content: "a cat" },
  ];
  const message = { role: "assistant", content: "A cat." };
  const response = { choices: [{ index: 0, message, finish_reason: "stop" }] };
  expect(recorded({ model: "m", messages }, response)).toEqual({
    system: undefined,
    input: [
      { role: "system", parts: [text("Be brief.")] },
      { role: "user", parts: [text("Look"), { type: "image_url" }] },
      { role: "assistant", parts: [call('{"at":1}')] },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "a cat" }] },
    ],
    output: [{ role: "assistant", parts: [text("A cat.")], finish_reason: "stop" }],
    isCut: false,
  });
});

test("a stream of chat completions is put together, and one that is cut as far as it came", () => {
  const delta = (fields: object, reason: string | null = null) => ({
    choices: [{ index: 0, delta: fields, finish_reason: reason }],
  });
  const part = (fields: object) => delta({ tool_calls: [{ index: 0, ...fields }] });
  const stream = events(
    delta({ role: "assistant", content: "" }),
    delta({ content: "A " }),
    delta({ content: "cat." }),
    part({ id: "c1", function: { name: "look", arguments: "" } }),
    part({ function: { arguments: '{"at":1}' } }),
    delta({}, "tool_calls"),
  );
  const parts = [text("A cat."), call('{"at":1}')];
  expect(recorded({}, `${stream}data: [DONE]\n\n`).output).toEqual([
    { role: "assistant", parts, finish_reason: "tool_calls" },
  ]);
  const cut = `${events(delta({ content: "A " }))}data: {"cho`;
  expect(recorded({}, cut).output).toEqual([
    { role: "assistant", parts: [text("A ")], finish_reason: "" },
  ]);
});

test("the Messages API has its system, blocks and stop reason, whole or streamed", () => {
  const request = {
    system: [{ type: "text", text: "Be brief." }],
    messages: [
      { role: "user", content: "Look" },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "look", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "a cat" }] },
    ],
  };
  const content = [
    { type: "thinking", thinking: "A cat?" },
    { type: "text", text: "A cat." },
  ];
  const output = [
    {
      role: "assistant",
      parts: [{ type: "reasoning", content: "A cat?" }, text("A cat.")],
      finish_reason: "end_turn",
    },
  ];
  expect(recorded(request, { type: "message", content, stop_reason: "end_turn" })).toEqual({
    system: [text("Be brief.")],
    input: [
      { role: "user", parts: [text("Look")] },
      { role: "assistant", parts: [call({})] },
      { role: "user", parts: [{ type: "tool_call_response", id: "c1", response: "a cat" }] },
    ],
    output,
    isCut: false,
  });
  const block = (index: number, start: object, delta: object) => [
    { type: "content_block_start", index, content_block: start },
    { type: "content_block_delta", index, delta },
  ];
  const stream = events(
    { type: "message_start", message: {} },
    ...block(0, { type: "thinking", thinking: "" }, { thinking: "A cat?" }),
    ...block(1, { type: "text", text: "" }, { type: "text_delta", text: "A cat." }),
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
  );
  expect(recorded(request, stream).output).toEqual(output);
  const streamedCall = events(
    ...block(0, { type: "tool_use", id: "c1", name: "look", input: {} }, { partial_json: "{}" }),
  );
  expect(recorded(request, streamedCall).output?.[0].parts).toEqual([call("{}")]);
});

test("the Responses API has its instructions, items and status, whole or streamed", () => {
  const request = {
    instructions: "Be brief.",
    input: [
      { role: "user", content: [{ type: "input_text", text: "Look" }] },
      { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "a cat" },
    ],
  };
  const content = [{ type: "output_text", text: "A cat." }];
  const response = { status: "completed", output: [{ type: "message", content }] };
  const output = [{ role: "assistant", parts: [text("A cat.")], finish_reason: "completed" }];
  expect(recorded(request, response)).toEqual({
    system: [text("Be brief.")],
    input: [
      { role: "user", parts: [text("Look")] },
      { role: "assistant", parts: [call("{}")] },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "a cat" }] },
    ],
    output,
    isCut: false,
  });
  const delta = { type: "response.output_text.delta", delta: "A cat." };
  const completed = { type: "response.completed", response };
  expect(recorded({ input: "Look" }, events(delta, completed))).toMatchObject({
    input: [{ role: "user", parts: [text("Look")] }],
    output,
  });
  expect(recorded({ input: "Look" }, events(delta)).output[0].parts).toEqual([text("A cat.")]);
});

test("a request of another route is one message with its body, without a response", () => {
  const request = { query: "cats", documents: ["a", "b"] };
  expect(recorded(request, { results: [] })).toEqual({
    system: undefined,
    input: [{ role: "user", parts: [text(JSON.stringify(request))] }],
    output: undefined,
    isCut: false,
  });
});

test("the oldest messages are left out of what is too long", () => {
  const long = "long ".repeat(maxAttributeLength / 10);
  const messages = ["first", "second", "third"].map((name) => ({
    role: "user",
    content: `${name} ${long}`,
  }));
  const { input, isCut } = recorded({ messages });
  expect([input.length, input[0].parts[0].content.slice(0, 5), isCut]).toEqual([1, "third", true]);
  expect(recorded("x".repeat(2 * maxAttributeLength))).toMatchObject({
    input: undefined,
    isCut: true,
  });
});
