import { callDelta, completion, delta, end, toolCall } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { withTool } from "../requests.ts";
import { sse } from "../sse.ts";

const usage = { input: 10, output: 5 };
const billed = { request: withTool, usage, cost: 600 };
const streamed = { ...billed, stream: true };
const first = ["read_file", { path: "a" }] as const;
const second = ["read_file", { path: "b" }] as const;
const part = (members: object) => delta({ tool_calls: [members] });

/** How providers with OpenAI's wire write calls their own way, in streams. */
export const toolParts: readonly Exchange[] = [
  {
    name: "calls without an index, each with an id",
    ...streamed,
    reply: {
      body: sse(
        callDelta("call_a", '{"path":', {}),
        part({ function: { arguments: '"a"}' } }),
        callDelta("call_b", '{"path":"b"}', {}),
        ...end("tool_calls"),
      ),
    },
    expected: { calls: [first, second] },
  },
  {
    name: "whole calls without an id, of one index",
    ...streamed,
    reply: {
      body: sse(
        part({ index: 0, function: { name: "read_file", arguments: '{"path":"a"}' } }),
        part({ index: 0, function: { name: "read_file", arguments: '{"path":"b"}' } }),
        ...end("stop"),
      ),
    },
    expected: { calls: [first, second] },
    on: { chat: { finish: "stop" } },
  },
  {
    name: "calls with neither an index nor an id",
    ...streamed,
    reply: {
      body: sse(
        delta({
          tool_calls: [
            { function: { name: "read_file", arguments: '{"path":"a"}' } },
            { function: { name: "read_file", arguments: '{"path":"b"}' } },
          ],
        }),
        ...end("tool_calls"),
      ),
    },
    expected: { calls: [first, second] },
  },
  {
    name: "an id, a type and a name that each part repeats",
    ...streamed,
    reply: {
      body: sse(
        callDelta("call_a", ""),
        callDelta("call_a", '{"path"'),
        callDelta("call_a", ':"a"}'),
        callDelta("call_a", ""),
        ...end("tool_calls"),
      ),
    },
    expected: { calls: [first] },
  },
  {
    name: "another id with each part",
    ...streamed,
    reply: {
      body: sse(
        callDelta("call_a", ""),
        part({ index: 0, id: "call_x", function: { arguments: '{"path"' } }),
        part({ index: 0, id: "call_y", function: { name: null, arguments: ':"a"}' } }),
        ...end("tool_calls"),
      ),
    },
    expected: { calls: [first] },
  },
  {
    name: "an id that comes late",
    ...streamed,
    reply: {
      body: sse(
        part({ index: 0, function: { name: "read_file", arguments: '{"path":' } }),
        part({ index: 0, id: "call_a", function: { arguments: '"a"}' } }),
        ...end("tool_calls"),
      ),
    },
    expected: { calls: [first] },
  },
  {
    name: "one id for two calls",
    ...streamed,
    reply: {
      body: sse(
        callDelta("call_a", '{"path":"a"}', { index: 0 }),
        callDelta("call_a", '{"path":"b"}', { index: 1 }),
        ...end("tool_calls"),
      ),
    },
    expected: { calls: [first, second] },
  },
  {
    name: "a name in pieces",
    ...streamed,
    reply: {
      body: sse(
        part({ index: 0, id: "call_a", type: "function", function: { name: "read" } }),
        part({ index: 0, function: { name: "_fi" } }),
        part({ index: 0, function: { name: "le", arguments: "" } }),
        part({ index: 0, function: { arguments: '{"path":"a"}' } }),
        ...end("tool_calls"),
      ),
    },
    expected: { calls: [first] },
  },
  {
    name: "arguments that are an object, and then null",
    ...streamed,
    reply: {
      body: sse(
        part({ index: 0, id: "call_a", function: { name: "read_file", arguments: { path: "a" } } }),
        part({ index: 0, id: "", type: null, function: { name: "", arguments: null } }),
        ...end("tool_calls"),
      ),
    },
    expected: { calls: [first] },
  },
  {
    name: "calls whose indexes begin with 1",
    ...streamed,
    reply: {
      body: sse(
        callDelta("call_a", '{"path":"a"}', { index: 1 }),
        callDelta("call_b", '{"path":"b"}', { index: 3 }),
        ...end("tool_calls"),
      ),
    },
    expected: { calls: [first, second] },
  },
  {
    name: "parallel calls whose parts are mixed",
    ...streamed,
    reply: {
      body: sse(
        callDelta("call_a", "", { index: 0 }),
        callDelta("call_b", "", { index: 1 }),
        part({ index: 0, function: { arguments: '{"path":"a"}' } }),
        part({ index: 1, function: { arguments: '{"path":"b"}' } }),
        ...end("tool_calls"),
      ),
    },
    expected: { calls: [first, second] },
  },
  {
    name: "parallel calls whose arguments are mixed in pieces",
    ...streamed,
    reply: {
      body: sse(
        callDelta("call_a", '{"pa', { index: 0 }),
        callDelta("call_b", '{"pa', { index: 1 }),
        part({ index: 0, function: { arguments: 'th":"a' } }),
        part({ index: 1, function: { arguments: 'th":"b' } }),
        part({ index: 0, function: { arguments: '"}' } }),
        part({ index: 1, function: { arguments: '"}' } }),
        part({ index: 0, function: { arguments: " " } }),
        ...end("tool_calls"),
      ),
    },
    expected: { calls: [first, second] },
  },
  {
    name: "a text between the parts of a call",
    ...streamed,
    reply: {
      body: sse(
        delta({ content: "I " }),
        callDelta("call_a", '{"path":'),
        delta({ content: "read " }),
        part({ index: 0, function: { arguments: '"a' } }),
        delta({ content: "it" }),
        part({ index: 0, function: { arguments: '"}' } }),
        delta({ content: "." }),
        ...end("tool_calls"),
      ),
    },
    expected: { text: "I read it.", calls: [first] },
  },
  {
    name: "reasoning and a text between the parts of two calls",
    ...streamed,
    reply: {
      body: sse(
        callDelta("call_a", "", { index: 0 }),
        delta({ reasoning_content: "Two", tool_calls: [toolCall("call_b", "{", { index: 1 })] }),
        delta({ reasoning_content: " files." }),
        part({ index: 0, function: { arguments: '{"path":"a"}' } }),
        delta({
          content: "Both.",
          tool_calls: [{ index: 1, function: { arguments: '"path":"b"}' } }],
        }),
        ...end("tool_calls"),
      ),
    },
    expected: { reasoning: "Two files.", text: "Both.", calls: [first, second] },
  },
  {
    name: "a text behind a call without arguments, and one that the limit cuts",
    ...streamed,
    reply: {
      body: sse(
        callDelta("call_a", "", { index: 0 }),
        delta({ content: "Then" }),
        callDelta("call_b", '{"path": "abc', { index: 1 }),
        delta({ content: " so." }),
        ...end("length"),
      ),
    },
    expected: {
      text: "Then so.",
      calls: [
        ["read_file", {}],
        ["read_file", '{"path": "abc'],
      ],
      finish: "length",
    },
  },
  {
    name: "calls that the last chunk repeats",
    ...streamed,
    reply: {
      body: sse(
        callDelta("call_a", '{"path":'),
        part({ index: 0, function: { arguments: '"a"}' } }),
        delta({ tool_calls: [toolCall("call_a", '{"path":"a"}', { index: 0 })] }, "tool_calls"),
        ...end("stop"),
      ),
    },
    expected: { calls: [first] },
  },
  {
    name: "a streamed call that finishes as a text",
    ...streamed,
    reply: { body: sse(callDelta("call_a", '{"path":"a"}'), ...end("stop")) },
    expected: { calls: [first] },
    on: { chat: { finish: "stop" } },
  },
  {
    name: "a streamed call that the limit cuts",
    ...streamed,
    reply: { body: sse(callDelta("call_a", '{"path": "abc'), ...end("length")) },
    expected: { calls: [["read_file", '{"path": "abc']], finish: "length" },
  },
];

/** The same in whole responses. */
export const toolMessages: readonly Exchange[] = [
  {
    name: "a call that finishes as a text",
    ...billed,
    reply: { body: completion({ content: null, tool_calls: [toolCall("a", '{"path":"a"}')] }) },
    expected: { calls: [first] },
    on: { chat: { finish: "stop" } },
  },
  {
    name: "a call that the limit cuts",
    ...billed,
    reply: {
      body: completion({ content: null, tool_calls: [toolCall("a", '{"path": "abc')] }, "length"),
    },
    expected: { calls: [["read_file", '{"path": "abc']], finish: "length" },
  },
  {
    name: "calls without ids and types, with arguments that are objects",
    ...billed,
    reply: {
      body: completion(
        {
          content: "",
          tool_calls: [
            { function: { name: "read_file", arguments: { path: "a" } } },
            { id: null, index: 0, function: { name: "read_file", arguments: { path: "b" } } },
          ],
        },
        "tool_calls",
      ),
    },
    expected: { calls: [first, second] },
  },
  {
    name: "calls of one id, the second without arguments",
    ...billed,
    reply: {
      body: completion(
        {
          tool_calls: [
            toolCall("read_file", '{"path":"a"}'),
            { id: "read_file", type: "function", function: { name: "read_file", arguments: null } },
          ],
        },
        "tool_calls",
      ),
    },
    expected: { calls: [first, ["read_file", {}]] },
  },
];
