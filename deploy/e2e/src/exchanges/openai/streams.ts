import { callDelta, delta, end, smallUsage, usageChunk } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { withTool } from "../requests.ts";
import { sse } from "../sse.ts";

const usage = { input: 10, output: 5 };
const hello = { stream: true, expected: { text: "Hello." }, usage, cost: 600 };
const start = sse(delta({ role: "assistant", content: "" }), delta({ content: "Hel" }));
const rest = sse(delta({ content: "lo." }), ...end("stop"));
const between = (events: string) => ({ body: start + events + rest });

/** A block or an item that has not ended is not read. */
const cutBlocks = { messages: { text: "" }, responses: { text: "" } };

/** What providers with OpenAI's wire send beside the chunks, and what their chunks leave out. */
export const looseStreams: readonly Exchange[] = [
  { name: "a ping with an empty object", ...hello, reply: between("event: ping\ndata: {}\n\n") },
  { name: "a ping with a type", ...hello, reply: between(sse({ type: "ping" })) },
  { name: "a comment", ...hello, reply: between(": OPENROUTER PROCESSING\n\n") },
  {
    name: "events without data",
    ...hello,
    reply: between("data:\n\ndata: \n\nevent: x\n\nid: 1\n\n"),
  },
  {
    name: "data that is a word, or a list",
    ...hello,
    reply: between(sse("ping", "[]", "null", "1")),
  },
  {
    name: "chunks with other members, and without choices",
    ...hello,
    reply: between(
      sse(
        { id: "c", obfuscation: "x" },
        delta({ note: { a: 1 }, annotations: [] }, null, { prompt_filter_results: [], x: null }),
        { choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
        { choices: [null] },
      ),
    ),
  },
  {
    name: "a delta that is null, or left out",
    ...hello,
    reply: between(sse({ choices: [{ index: 0, delta: null }] }, { choices: [{ index: 0 }] })),
  },
  {
    name: "choices without an index, and an empty finish reason",
    ...hello,
    reply: {
      body: sse(
        { choices: [{ delta: { content: "Hel" }, finish_reason: "" }] },
        { choices: [{ delta: { content: "lo." }, finish_reason: "" }] },
        ...end("stop"),
      ),
    },
  },
  {
    name: "a usage chunk whose choices are null",
    ...hello,
    reply: {
      body: sse(delta({ content: "Hello." }, "stop"), { ...usageChunk(), choices: null }, "[DONE]"),
    },
  },
  {
    name: "a usage chunk without choices",
    ...hello,
    reply: { body: sse(delta({ content: "Hello." }, "stop"), { usage: smallUsage }, "[DONE]") },
  },
  {
    name: "no finish reason anywhere, and [DONE]",
    ...hello,
    reply: {
      body: sse(delta({ content: "Hel" }), delta({ content: "lo." }), usageChunk(), "[DONE]"),
    },
  },
  {
    name: "a call without a finish reason, and [DONE]",
    stream: true,
    request: withTool,
    reply: { body: sse(callDelta("call_a", '{"path":"a"}'), usageChunk(), "[DONE]") },
    expected: { calls: [["read_file", { path: "a" }]] },
    usage,
    cost: 600,
  },
  {
    name: "a stream that is cut",
    stream: true,
    reply: { body: sse(delta({ content: "Hel" }), usageChunk()) },
    expected: { text: "Hel", error: "upstream_rejected" },
    on: cutBlocks,
  },
  {
    name: "a stream that is cut within a chunk",
    stream: true,
    reply: { body: `${sse(delta({ content: "Hel" }))}data: {"choices":[{"del` },
    expected: { text: "Hel", error: "upstream_rejected" },
    on: cutBlocks,
  },
  {
    name: "no text, and the limit",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "" }),
        ...end("length", {
          prompt_tokens: 13,
          completion_tokens: 50,
          total_tokens: 63,
          completion_tokens_details: { reasoning_tokens: 50 },
        }),
      ),
    },
    expected: { finish: "length" },
    usage: { input: 13, output: 50, reasoning: 50 },
    cost: 5_130,
  },
  {
    name: "a finish alone",
    stream: true,
    reply: { body: sse(...end("stop")) },
    expected: {},
    usage,
    cost: 600,
  },
  {
    name: "reasoning alone",
    stream: true,
    reply: {
      body: sse(delta({ reasoning_content: "Hm", content: null }), ...end("length")),
    },
    expected: { reasoning: "Hm", finish: "length" },
    usage,
    cost: 600,
  },
  {
    name: "chunks, a second finish and an error after the finish",
    ...hello,
    reply: {
      body: sse(
        delta({ content: "Hello." }, "stop"),
        delta({ content: "" }, "stop"),
        usageChunk(),
        { error: { message: "Too late.", code: 500 } },
      ),
    },
  },
  {
    name: "the last event without a blank line",
    ...hello,
    reply: { body: (start + rest).trimEnd() },
  },
  {
    name: "the usage in the last event, without a blank line and [DONE]",
    ...hello,
    reply: { body: (start + sse(delta({ content: "lo." }, "stop"), usageChunk())).trimEnd() },
  },
  {
    name: "lines that end with CRLF",
    ...hello,
    reply: { body: (start + rest).replaceAll("\n", "\r\n") },
  },
  {
    name: "lines that end with CR",
    ...hello,
    reply: { body: (start + rest).replaceAll("\n", "\r") },
  },
  { name: "a byte order mark", ...hello, reply: { body: `\ufeff${start}${rest}` } },
  {
    name: "no space after the colon",
    ...hello,
    reply: { body: (start + rest).replaceAll("data: ", "data:") },
  },
  { name: "no blank lines", ...hello, reply: { body: (start + rest).replaceAll("\n\n", "\n") } },
  {
    name: "a chunk on several lines",
    ...hello,
    reply: { body: start + rest.replaceAll(',"choices"', ',\ndata: "choices"') },
  },
  {
    name: "an error before the content keeps its meaning",
    stream: true,
    reply: { body: sse({ error: { message: "Slow down.", code: 429 } }, "[DONE]") },
    expected: { error: "no_provider_available", status: 503 },
  },
  {
    name: "an event that is named an error",
    stream: true,
    reply: { body: 'event: error\ndata: {"message":"No."}\n\n' },
    expected: { error: "upstream_rejected", status: 502 },
  },
];
