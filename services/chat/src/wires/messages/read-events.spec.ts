import { readUsageBlock } from "@tollgate/providers/anthropic/usage";
import { SlotFailure } from "@tollgate/upstream/failure";
import { expect, test } from "vitest";
import { countedUsage } from "../../usage/usage.ts";
import type { Chunk } from "../chunk.ts";
import { readMessageEvents } from "./read-events.ts";

/**
 * The stream with a tool of Anthropic's documentation, shortened:
 * https://docs.claude.com/en/docs/build-with-claude/streaming
 */
const documented = `event: message_start
data: {"type":"message_start","message":{"id":"msg_014p7gG3wDgGV9EUtLvnow3U","type":"message","role":"assistant","model":"claude-opus-4-6","stop_sequence":null,"usage":{"input_tokens":472,"output_tokens":2},"content":[],"stop_reason":null}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Okay"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_01T1x1fJ34qAmk2tNTrN7Up6","name":"get_weather","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\\"location\\":"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":" \\"San Francisco\\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":89}}

event: message_stop
data: {"type":"message_stop"}

`;

const usage = countedUsage(472n, 10n);

/** Reads and delivers the first events of a stream. */
function readFirst(count: number) {
  const events = readMessageEvents({ alias: "alias", readUsageBlock });
  const frames = documented.trim().split("\n\n").slice(0, count);
  const chunks: Chunk[] = [];
  let text = "";
  for (const frame of frames) {
    const chunk = events.read(frame.split("\ndata: ")[1] ?? "");
    if (chunk === undefined) throw new Error(`not an event: ${frame}`);
    chunks.push(chunk);
    text += String(events.deliver(chunk) ?? "");
  }
  return { events, chunks, text };
}

test("a documented stream is forwarded byte for byte, except for the model", () => {
  const { events, text } = readFirst(11);
  const all = text + String(events.end(usage, 0n));
  expect(all).toBe(documented.replace("claude-opus-4-6", "alias"));
});

test("its text, its finish reason and its usage are read", () => {
  const { chunks } = readFirst(11);
  const texts = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  expect(texts.map((delta) => (delta as { content?: string }).content ?? "").join("")).toBe(
    'Okayget_weather{"location": "San Francisco"}',
  );
  expect(chunks.at(-2)).toMatchObject({
    choices: [{ finish_reason: "tool_use" }],
    usage: { promptTokens: 472n, completionTokens: 89n, basis: "provider" },
  });
  expect(chunks.at(-1)?.isLast).toBe(true);
});

test("the first event waits for the second one", () => {
  expect(readFirst(1).text).toBe("");
  expect(readFirst(2).text).toContain("message_start");
});

test("its first event reports the prompt, and nothing of the output", () => {
  const { chunks } = readFirst(1);
  expect(chunks[0]?.usage).toMatchObject({
    promptTokens: 472n,
    completionTokens: 0n,
    isPromptOnly: true,
  });
});

test("a stream that is cut closes its open block", () => {
  const { events } = readFirst(7);
  events.cut([]);
  expect(String(events.end(usage, 0n))).toBe(`event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":10}}

event: message_stop
data: {"type":"message_stop"}

`);
});

test.each([
  ["overloaded_error", 529],
  ["invalid_request_error", 400],
])("an error event is a failure with the status of its type: %s", (type, status) => {
  const event = { type: "error", error: { type, message: "No" } };
  const read = () =>
    readMessageEvents({ alias: "alias", readUsageBlock }).read(JSON.stringify(event));
  expect(read).toThrow(SlotFailure);
  expect(read).toThrow(expect.objectContaining({ status }));
});

test.each(["ping", "[]", "{}", '{"type":1}'])("%s says nothing", (data) => {
  expect(readMessageEvents({ alias: "alias", readUsageBlock }).read(data)).toBeUndefined();
});

test("an event that is cut breaks the stream", () => {
  const { read } = readMessageEvents({ alias: "alias", readUsageBlock });
  expect(() => read('{"type":"content_bl')).toThrow(SlotFailure);
});

test.each([
  ["server_tool_use", "web_fetch", "web_fetch"],
  ["server_tool_use", "bash_code_execution", "code_execution"],
  ["mcp_tool_use", "any", "mcp"],
  ["server_tool_use", "tool_search_tool_regex", undefined],
  ["tool_use", "web_search", undefined],
])("a block %s of %s is a call of the tool %s", (type, name, tool) => {
  const events = readMessageEvents({ alias: "alias", readUsageBlock });
  const content_block = { type, id: "x", name, input: {} };
  const event = { type: "content_block_start", index: 0, content_block };
  const expected = tool === undefined ? undefined : { tool, quantity: 1n };
  expect(events.read(JSON.stringify(event))?.toolCalls).toEqual(expected);
});
