import { callDelta, delta, end } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { withTool } from "../requests.ts";
import { sse } from "../sse.ts";

/** Ollama sends calls whole: https://docs.ollama.com/api/openai-compatibility */
export const ollamaCalls: readonly Exchange[] = [
  {
    name: "a new id opens a new call, although its index repeats",
    stream: true,
    request: withTool,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "" }),
        callDelta("call_a", '{"path":"a"}', { index: 0 }),
        callDelta("call_b", '{"path":"b"}', { index: 0 }),
        ...end("tool_calls"),
      ),
    },
    expected: {
      calls: [
        ["read_file", { path: "a" }],
        ["read_file", { path: "b" }],
      ],
    },
    usage: { input: 10, output: 5 },
    cost: 600,
  },
];
