import { completion, smallUsage, toolCall } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { withTool } from "../requests.ts";

const usage = { input: 10, output: 5 };
const hello = { expected: { text: "Hello." }, usage, cost: 600 };
const answer = completion({ content: "Hello." });
const text = JSON.stringify(answer, undefined, 2);

/** Whole completions where a stream was asked for. */
export const wholeStreams: readonly Exchange[] = [
  { name: "a completion in place of a stream", stream: true, reply: { body: answer }, ...hello },
  {
    name: "a completion in place of a stream, behind white space, as an event stream",
    stream: true,
    reply: { body: `\n \n${text}\n` },
    ...hello,
  },
  {
    name: "a completion in place of a stream, in gzip",
    stream: true,
    reply: { encoding: "gzip", body: answer },
    ...hello,
  },
  {
    name: "a completion in place of a stream, without a finish, with calls and reasoning",
    stream: true,
    request: withTool,
    reply: {
      body: {
        choices: [
          {
            message: {
              content: "Well.",
              reasoning_content: "Hm.",
              tool_calls: [
                toolCall("call_a", '{"path":"a"}'),
                { function: { name: "read_file", arguments: { path: "b" } } },
                { function: { name: "read_file", arguments: "" } },
              ],
            },
            finish_reason: null,
          },
        ],
        usage: smallUsage,
      },
    },
    expected: {
      text: "Well.",
      reasoning: "Hm.",
      calls: [
        ["read_file", { path: "a" }],
        ["read_file", { path: "b" }],
        ["read_file", {}],
      ],
    },
    usage,
    cost: 600,
  },
  {
    name: "a completion in place of a stream, cut by the limit",
    stream: true,
    reply: { body: completion({ content: "Hel" }, "length") },
    expected: { text: "Hel", finish: "length" },
    usage,
    cost: 600,
  },
  {
    name: "an error in place of a stream keeps its meaning",
    stream: true,
    reply: { body: { error: { message: "Slow down.", code: 429 } } },
    expected: { error: "no_provider_available", status: 503 },
  },
  {
    name: "a completion without output in place of a stream",
    stream: true,
    reply: { body: { choices: [{ index: 0, message: null, finish_reason: null }] } },
    expected: { error: "upstream_rejected", status: 502 },
  },
  {
    name: "another object in place of a stream",
    stream: true,
    reply: { body: { ok: true } },
    expected: { error: "upstream_rejected", status: 502 },
  },
  {
    name: "half a completion in place of a stream",
    stream: true,
    reply: { body: text.slice(0, -5) },
    expected: { error: "upstream_rejected", status: 502 },
  },
];
