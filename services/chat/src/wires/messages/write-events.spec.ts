import type { JsonObject } from "@tollgate/core/json";
import { vendors } from "@tollgate/providers";
import { readUsageBlock } from "@tollgate/providers/openai/usage";
import { expect, test } from "vitest";
import { countedUsage } from "../../usage/usage.ts";
import { signatureOf } from "../signed-details.ts";
import { writeMessageEvents } from "./write-events.ts";

const usage = countedUsage(10n, 2n);
const context = {
  alias: "a",
  id: "1",
  created: 1,
  client: { json: {}, mayHave: () => true, mayHaveLonger: () => false },
  promptCharacters: 28n,
  sessionId: "",
  kind: vendors.openai,
  readUsageBlock,
};

/** Writes a stream of deltas, and returns its events. */
function written(deltas: readonly JsonObject[], finishReason = "stop", isCut = false) {
  const events = writeMessageEvents(context);
  const chunks = deltas.map((delta) => ({ choices: [{ index: 0, delta }] }));
  const last = { choices: [{ index: 0, delta: {}, finish_reason: finishReason }] };
  let text = "";
  for (const chunk of isCut ? chunks : [...chunks, last]) {
    const read = events.read(JSON.stringify(chunk));
    if (read !== undefined) text += String(events.deliver(read) ?? "");
  }
  if (isCut) events.cut([]);
  text += String(events.end(usage, 0n));
  const found = text.matchAll(/^event: (.*)\ndata: (.*)$/gm);
  return [...found].map(([, type, data = ""]) => {
    const event = JSON.parse(data) as JsonObject;
    expect(event.type).toBe(type);
    return event;
  });
}

/** The events without the first and the last two, as their types and what they change. */
function blocksOf(events: readonly JsonObject[]) {
  return events
    .filter(({ type }) => type !== "ping")
    .slice(1, -2)
    .map(({ type, index, content_block, delta }) => [
      String(type).replace("content_block_", ""),
      index,
      ...(content_block || delta ? [content_block ?? delta] : []),
    ]);
}

const call = (index: number, more: JsonObject) => ({ tool_calls: [{ index, ...more }] });

test("a text has the events of Anthropic's API in their order", () => {
  const events = written([{ role: "assistant", content: "" }, { content: "Hi" }, { content: "!" }]);
  expect(events).toEqual([
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "a",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: 7,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 1,
        },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "ping" },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "!" } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 2,
      },
    },
    { type: "message_stop" },
  ]);
});

test("thinking, text and parallel calls are blocks one after another", () => {
  const events = written(
    [
      { reasoning_content: "Hm." },
      { content: "Hi" },
      call(0, { id: "c0", type: "function", function: { name: "f", arguments: "" } }),
      call(0, { function: { arguments: "{}" } }),
      call(1, { id: "c1", type: "function", function: { name: "g", arguments: "[1" } }),
      call(1, { function: { arguments: "]" } }),
    ],
    "tool_calls",
  );
  expect(blocksOf(events)).toEqual([
    ["start", 0, { type: "thinking", thinking: "", signature: "" }],
    ["delta", 0, { type: "thinking_delta", thinking: "Hm." }],
    ["delta", 0, { type: "signature_delta", signature: signatureOf([]) }],
    ["stop", 0],
    ["start", 1, { type: "text", text: "" }],
    ["delta", 1, { type: "text_delta", text: "Hi" }],
    ["stop", 1],
    ["start", 2, { type: "tool_use", id: "c0", name: "f", input: {} }],
    ["delta", 2, { type: "input_json_delta", partial_json: "{}" }],
    ["stop", 2],
    ["start", 3, { type: "tool_use", id: "c1", name: "g", input: {} }],
    ["delta", 3, { type: "input_json_delta", partial_json: "[1" }],
    ["delta", 3, { type: "input_json_delta", partial_json: "]" }],
    ["stop", 3],
  ]);
  expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } });
});

test("parts of parallel calls that are mixed are written one call after another", () => {
  const deltas = [
    call(0, { id: "a", type: "function", function: { name: "f", arguments: '{"x"' } }),
    call(1, { id: "b", type: "function", function: { name: "g", arguments: "{" } }),
    call(0, { function: { arguments: ":1}" } }),
    call(1, { function: { arguments: "}" } }),
  ];
  expect(blocksOf(written(deltas, "stop"))).toEqual([
    ["start", 0, { type: "tool_use", id: "a", name: "f", input: {} }],
    ["delta", 0, { type: "input_json_delta", partial_json: '{"x"' }],
    ["delta", 0, { type: "input_json_delta", partial_json: ":1}" }],
    ["stop", 0],
    ["start", 1, { type: "tool_use", id: "b", name: "g", input: {} }],
    ["delta", 1, { type: "input_json_delta", partial_json: "{" }],
    ["delta", 1, { type: "input_json_delta", partial_json: "}" }],
    ["stop", 1],
  ]);
});

test("what comes between the parts of a call is written behind it, in its order", () => {
  const deltas = [
    call(0, { id: "a", type: "function", function: { name: "f", arguments: '{"x"' } }),
    { content: "Hm" },
    { reasoning_content: "Well" },
    call(1, { id: "b", type: "function", function: { name: "g", arguments: "{}" } }),
    call(0, { function: { arguments: ":1}" } }),
    { content: "!" },
    call(0, { function: { arguments: " " } }),
  ];
  expect(blocksOf(written(deltas))).toEqual([
    ["start", 0, { type: "tool_use", id: "a", name: "f", input: {} }],
    ["delta", 0, { type: "input_json_delta", partial_json: '{"x"' }],
    ["delta", 0, { type: "input_json_delta", partial_json: ":1}" }],
    ["stop", 0],
    ["start", 1, { type: "text", text: "" }],
    ["delta", 1, { type: "text_delta", text: "Hm" }],
    ["stop", 1],
    ["start", 2, { type: "thinking", thinking: "", signature: "" }],
    ["delta", 2, { type: "thinking_delta", thinking: "Well" }],
    ["delta", 2, { type: "signature_delta", signature: signatureOf([]) }],
    ["stop", 2],
    ["start", 3, { type: "tool_use", id: "b", name: "g", input: {} }],
    ["delta", 3, { type: "input_json_delta", partial_json: "{}" }],
    ["stop", 3],
    ["start", 4, { type: "text", text: "" }],
    ["delta", 4, { type: "text_delta", text: "!" }],
    ["stop", 4],
  ]);
});

test.each([
  ["a call", [call(0, { id: "a", type: "function", function: { name: "f" } })], "stop", "tool_use"],
  ["no call", [{ content: "x" }], "tool_calls", "end_turn"],
  ["a call that is cut", [call(0, { id: "a", function: { name: "f" } })], "length", "max_tokens"],
])("%s has the stop reason of what it is", (_, deltas, reason, expected) => {
  expect(written(deltas, reason).at(-2)).toMatchObject({ delta: { stop_reason: expected } });
});

const own = { format: "anthropic-claude-v1", index: 0 };
const others = { type: "reasoning.encrypted", data: "d", format: "google-gemini-v1", index: 0 };

test.each<[string, JsonObject[], unknown[]]>([
  [
    "Anthropic's own signature ends its block",
    [
      { reasoning_content: "Hm." },
      { reasoning_details: [{ ...own, type: "reasoning.text", text: "Hm.", signature: "s" }] },
      { content: "Hi" },
    ],
    ["thinking_delta", "signature_delta", "text_delta"],
  ],
  [
    "another provider's is that of the thinking before it",
    [{ reasoning_content: "Hm." }, { reasoning_details: [others] }, { content: "Hi" }],
    ["thinking_delta", "signature_delta", "text_delta"],
  ],
  [
    "and a block of its own without thinking",
    [{ ...call(0, { id: "c", function: { name: "f" } }), reasoning_details: [others] }],
    ["redacted_thinking", "tool_use"],
  ],
  [
    "that of a text which nothing follows is left out",
    [{ content: "Hi" }, { reasoning_details: [others] }],
    ["text_delta"],
  ],
])("%s", (_, deltas, types) => {
  const found = written(deltas).flatMap(({ delta, content_block }) => {
    const { type } = (delta ?? content_block ?? {}) as { type?: string };
    return type === "text" || type === "thinking" || type === undefined ? [] : type;
  });
  expect(found).toEqual(types);
});

test.each([
  ["stop", false, "end_turn"],
  ["length", false, "max_tokens"],
  ["content_filter", false, "refusal"],
  ["stop", true, "max_tokens"],
])("the finish reason %s (cut: %s) is the stop reason %s", (reason, isCut, expected) => {
  expect(written([{ content: "Hi" }], reason, isCut).at(-2)).toMatchObject({
    delta: { stop_reason: expected },
  });
});
