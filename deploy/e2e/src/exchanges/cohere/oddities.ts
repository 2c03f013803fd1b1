import type { Exchange } from "../exchange.ts";
import { withTool } from "../requests.ts";
import { typedSse } from "../sse.ts";

const billed = { billed_units: { input_tokens: 10, output_tokens: 5 }, tokens: counted(70, 7) };
const usage = { input: 10, output: 5 };

function counted(input_tokens: number, output_tokens: number) {
  return { input_tokens, output_tokens };
}

function response(message: object, finish_reason = "COMPLETE", more: object = {}) {
  return {
    id: "c",
    message: { role: "assistant", ...message },
    finish_reason,
    usage: billed,
    ...more,
  };
}

const hello = [{ type: "text", text: "Sunny." }];
const citation = {
  start: 0,
  end: 5,
  text: "Sunny",
  sources: [{ type: "tool", id: "t:0", tool_output: { content: "Sunny" } }],
};

function part(type: string, message: object) {
  return { type, index: 0, delta: { message } };
}

function end(finish_reason = "COMPLETE", more: object = { usage: billed }) {
  return { type: "message-end", delta: { finish_reason, ...more } };
}

const text = [
  { type: "message-start", id: "c", delta: { message: { role: "assistant" } } },
  part("content-start", { content: { type: "text", text: "" } }),
  part("content-delta", { content: { text: "Sunny." } }),
];

/** https://docs.cohere.com/reference/chat and https://docs.cohere.com/docs/streaming */
export const cohereOddities: readonly Exchange[] = [
  {
    name: "a citation with a tool as its source is left out",
    reply: { body: response({ content: hello, citations: [citation] }) },
    expected: { text: "Sunny." },
    usage,
    cost: 600,
  },
  {
    name: "streamed citations, unknown events and unknown parts are left out",
    stream: true,
    reply: {
      body: typedSse(
        ...text,
        part("citation-start", { citations: citation }),
        { type: "citation-end" },
        { type: "debug" },
        part("content-start", { content: { type: "new", new: 1 } }),
        part("content-delta", { content: { new: "x" } }),
        { type: "content-end" },
        end(),
      ),
    },
    expected: { text: "Sunny." },
    usage,
    cost: 600,
  },
  {
    name: "billed units are plain input beside a hit of the cache",
    reply: {
      body: response({ content: hello }, "COMPLETE", {
        usage: {
          billed_units: counted(98, 5),
          tokens: counted(1_508, 7),
          cached_tokens: 1_472,
        },
      }),
    },
    expected: { text: "Sunny." },
    usage: { input: 98, output: 5 },
    cost: 1_480,
  },
  {
    name: "a call without arguments, with a plan before it",
    request: withTool,
    reply: {
      body: response(
        {
          tool_plan: "I will read it.",
          tool_calls: [
            { id: "a", type: "function", function: { name: "read_file", arguments: null } },
          ],
        },
        "TOOL_CALL",
      ),
    },
    expected: { calls: [["read_file", {}]] },
    usage,
    cost: 600,
  },
  {
    name: "a toxic response is filtered",
    reply: { body: response({ content: hello }, "ERROR_TOXIC") },
    expected: { text: "Sunny.", finish: "content_filter" },
    usage,
    cost: 600,
  },
  {
    name: "a new reason to finish is complete",
    stream: true,
    reply: { body: typedSse(...text, end("NEW_REASON")) },
    expected: { text: "Sunny." },
    usage,
    cost: 600,
  },
];
