import type { Exchange } from "../exchange.ts";
import { withTool } from "../requests.ts";
import { sse } from "../sse.ts";

const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
const usage = { input: 10, output: 5 };

function response(parts: readonly object[], finishReason?: string, more: object = {}) {
  const candidate = { index: 0, content: { role: "model", parts }, finishReason };
  return { candidates: [candidate], usageMetadata, ...more };
}

/** https://ai.google.dev/api/generate-content */
export const googlePlain: readonly Exchange[] = [
  {
    name: "a text",
    sent: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
    reply: { body: response([{ text: "Hello." }], "STOP") },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "a streamed text",
    stream: true,
    reply: { body: sse(response([{ text: "Hel" }]), response([{ text: "lo." }], "STOP")) },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "two streamed calls",
    stream: true,
    request: withTool,
    reply: {
      body: sse(
        response([{ functionCall: { name: "read_file", args: { path: "a" } } }]),
        response([{ functionCall: { name: "read_file", args: { path: "b" } } }], "STOP"),
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
