import { callDelta, completion, delta, end, toolCall } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { withTool } from "../requests.ts";
import { sse } from "../sse.ts";

const usage = { input: 10, output: 5 };

/** What most exchanges look like: https://platform.openai.com/docs/api-reference/chat */
export const openaiPlain: readonly Exchange[] = [
  {
    name: "a text",
    sent: { messages: [{ role: "user", content: "Hi" }] },
    reply: { body: completion({ content: "Hello.", refusal: null, annotations: [] }) },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "a streamed text",
    stream: true,
    sent: { stream: true, stream_options: { include_usage: true } },
    reply: {
      body: sse(
        delta({ role: "assistant", content: "", refusal: null }),
        delta({ content: "Hel" }),
        delta({ content: "lo." }),
        ...end("stop"),
      ),
    },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "two calls at once",
    request: withTool,
    reply: {
      body: completion(
        {
          content: null,
          tool_calls: [toolCall("call_a", '{"path":"a"}'), toolCall("call_b", '{"path":"b"}')],
        },
        "tool_calls",
      ),
    },
    expected: {
      calls: [
        ["read_file", { path: "a" }],
        ["read_file", { path: "b" }],
      ],
    },
    usage,
    cost: 600,
  },
  {
    name: "two streamed calls, in parts",
    stream: true,
    request: withTool,
    reply: {
      body: sse(
        delta({ role: "assistant", content: null }),
        callDelta("call_a", "", { index: 0 }),
        delta({ tool_calls: [{ index: 0, function: { arguments: '{"pa' } }] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: 'th":"a"}' } }] }),
        callDelta("call_b", "", { index: 1 }),
        delta({ tool_calls: [{ index: 1, function: { arguments: '{"path":"b"}' } }] }),
        ...end("tool_calls"),
      ),
    },
    expected: {
      calls: [
        ["read_file", { path: "a" }],
        ["read_file", { path: "b" }],
      ],
    },
    usage,
    cost: 600,
  },
];
