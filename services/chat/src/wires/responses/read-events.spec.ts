import { readUsageBlock } from "@tollgate/providers/openai/usage";
import { SlotFailure } from "@tollgate/upstream/failure";
import { expect, test } from "vitest";
import { countedUsage } from "../../usage/usage.ts";
import type { Chunk } from "../chunk.ts";
import { readResponseEvents } from "./read-events.ts";

/**
 * The stream of OpenAI's reference, with the members of its response that matter here:
 * https://platform.openai.com/docs/api-reference/responses/create?lang=curl&example=streaming
 */
const documented = `event: response.created
data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_67c9fdcecf488190","object":"response","created_at":1741290958,"status":"in_progress","instructions":"Say \\"model\\": x","metadata":{"model":"m"},"model":"gpt-5.4","output":[],"usage":null}}

event: response.in_progress
data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_67c9fdcecf488190","object":"response","created_at":1741290958,"status":"in_progress","model":"gpt-5.4","output":[],"usage":null}}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id":"msg_67c9fdcf37fc8190","type":"message","status":"in_progress","role":"assistant","content":[]}}

event: response.content_part.added
data: {"type":"response.content_part.added","sequence_number":3,"item_id":"msg_67c9fdcf37fc8190","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_67c9fdcf37fc8190","output_index":0,"content_index":0,"delta":"Hi"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","sequence_number":5,"item_id":"msg_67c9fdcf37fc8190","output_index":0,"content_index":0,"delta":" there!"}

event: response.output_text.done
data: {"type":"response.output_text.done","sequence_number":6,"item_id":"msg_67c9fdcf37fc8190","output_index":0,"content_index":0,"text":"Hi there!"}

event: response.completed
data: {"type":"response.completed","sequence_number":7,"response":{"id":"resp_67c9fdcecf488190","object":"response","created_at":1741290958,"status":"completed","model":"gpt-5.4","output":[],"usage":{"input_tokens":37,"input_tokens_details":{"cached_tokens":30},"output_tokens":11,"output_tokens_details":{"reasoning_tokens":4},"total_tokens":48}}}

`;

const usage = countedUsage(10n, 2n);

function readFirst(count: number) {
  const events = readResponseEvents({ alias: "alias", readUsageBlock });
  const chunks: Chunk[] = [];
  let text = "";
  for (const frame of documented.trim().split("\n\n").slice(0, count)) {
    const chunk = events.read(frame.split("\ndata: ")[1] ?? "");
    if (chunk === undefined) throw new Error(`not an event: ${frame}`);
    chunks.push(chunk);
    text += String(events.deliver(chunk) ?? "");
  }
  return { events, chunks, text };
}

test("a documented stream is forwarded byte for byte, except for the model", () => {
  const { events, text } = readFirst(8);
  const all = text + String(events.end(usage, 0n));
  expect(all).toBe(documented.replaceAll("gpt-5.4", "alias"));
});

test("its text and its usage are read", () => {
  const { chunks } = readFirst(8);
  const texts = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  expect(texts.map((delta) => (delta as { content?: string }).content ?? "").join("")).toBe(
    "Hi there!",
  );
  expect(chunks.at(-1)).toMatchObject({
    isLast: true,
    usage: {
      promptTokens: 37n,
      cachedTokens: 30n,
      completionTokens: 11n,
      reasoningTokens: 4n,
      basis: "provider",
    },
  });
});

test("the events before the first item wait for it", () => {
  expect(readFirst(2).text).toBe("");
  expect(readFirst(3).text).toMatch(/created[\s\S]+in_progress[\s\S]+output_item\.added/);
});

test("a stream that is cut ends its open item, and is incomplete", () => {
  const { events } = readFirst(6);
  events.cut([]);
  const ended = String(events.end(usage, 0n));
  const data = [...ended.matchAll(/^data: (.*)$/gm)].map(([, text = ""]) => JSON.parse(text));
  const item = { type: "message", status: "incomplete", content: [{ text: "Hi there!" }] };
  expect(data).toMatchObject([
    { type: "response.output_text.done", sequence_number: 6, text: "Hi there!" },
    { type: "response.content_part.done", sequence_number: 7, part: { text: "Hi there!" } },
    { type: "response.output_item.done", sequence_number: 8, output_index: 0, item },
    {
      type: "response.incomplete",
      sequence_number: 9,
      response: {
        id: "resp_67c9fdcecf488190",
        model: "alias",
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
        output: [item],
        usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 },
      },
    },
  ]);
});

test.each([
  [{ type: "error", code: "server_error", message: "No" }, 500],
  [
    { type: "response.failed", response: { error: { code: "rate_limit_exceeded", message: "" } } },
    429,
  ],
  [{ type: "error", code: "other", message: "No" }, undefined],
])("an error is a failure with the status of its code: %j", (event, status) => {
  const read = () =>
    readResponseEvents({ alias: "alias", readUsageBlock }).read(JSON.stringify(event));
  expect(read).toThrow(SlotFailure);
  expect(read).toThrow(expect.objectContaining({ status }));
});
