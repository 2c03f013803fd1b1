import { delta, end } from "../chunks.ts";
import type { Exchange, ExchangeRequest } from "../exchange.ts";
import { hello } from "../requests.ts";
import { sse } from "../sse.ts";

const parameters = { type: "object", properties: {} };
const names = ["read", "read_file", "list"];

const withTools: ExchangeRequest = {
  chat: {
    ...hello.chat,
    tools: names.map((name) => ({ type: "function", function: { name, parameters } })),
  },
  messages: {
    ...hello.messages,
    tools: names.map((name) => ({ name, input_schema: parameters })),
  },
  responses: {
    ...hello.responses,
    tools: names.map((name) => ({ type: "function", name, parameters })),
  },
};
const streamed = {
  request: withTools,
  stream: true,
  usage: { input: 10, output: 5 },
  cost: 600,
};
const part = (name: string, more: object = { index: 0 }) =>
  delta({ tool_calls: [{ function: { name }, ...more }] });
const text = (written: string) =>
  delta({ tool_calls: [{ index: 0, function: { arguments: written } }] });

/** Names of tools that begin with each other, and calls without arguments, which only names tell apart. */
export const toolNames: readonly Exchange[] = [
  {
    name: "calls without arguments and ids, of one index",
    ...streamed,
    reply: { body: sse(part("list"), part("read_file"), ...end("tool_calls")) },
    expected: {
      calls: [
        ["list", {}],
        ["read_file", {}],
      ],
    },
  },
  {
    name: "calls without arguments, of one id and without an index",
    ...streamed,
    reply: {
      body: sse(
        part("list", { id: "call_a" }),
        part("list", { id: "call_a" }),
        part("read_file", { id: "call_a" }),
        ...end("tool_calls"),
      ),
    },
    expected: {
      calls: [
        ["list", {}],
        ["read_file", {}],
      ],
    },
  },
  {
    name: "a call without arguments whose name begins that of another tool, and the next one",
    ...streamed,
    reply: { body: sse(part("read"), part("list"), text('{"path":"a"}'), ...end("tool_calls")) },
    expected: {
      calls: [
        ["read", {}],
        ["list", { path: "a" }],
      ],
    },
  },
  {
    name: "a name in pieces, the first of which is a tool",
    ...streamed,
    reply: { body: sse(part("read"), part("_file"), text('{"path":"a"}'), ...end("tool_calls")) },
    expected: { calls: [["read_file", { path: "a" }]] },
  },
  {
    name: "the name of a tool that begins that of another",
    ...streamed,
    reply: { body: sse(part("read"), text('{"path":'), text('"a"}'), ...end("tool_calls")) },
    expected: { calls: [["read", { path: "a" }]] },
  },
];
