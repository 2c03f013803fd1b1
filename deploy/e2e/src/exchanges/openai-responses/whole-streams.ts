import type { Exchange } from "../exchange.ts";
import { withTool } from "../requests.ts";

const part = { type: "output_text", annotations: [], logprobs: [], text: "Hello." };

/** Whole responses where a client of Responses asked for a stream. */
export const wholeResponses: readonly Exchange[] = [
  {
    name: "a response in place of a stream",
    stream: true,
    wires: ["responses"],
    request: withTool,
    reply: {
      body: {
        id: "resp_a",
        object: "response",
        created_at: 1,
        model: "u",
        error: null,
        incomplete_details: null,
        status: "completed",
        output: [
          { id: "rs_a", type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] },
          { id: "msg_a", type: "message", status: "completed", role: "assistant", content: [part] },
          {
            id: "fc_a",
            type: "function_call",
            status: "completed",
            call_id: "call_a",
            name: "read_file",
            arguments: '{"path":"a"}',
          },
        ],
        usage: {
          input_tokens: 10,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 5,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 15,
        },
      },
    },
    expected: { reasoning: "Hm.", text: "Hello.", calls: [["read_file", { path: "a" }]] },
    usage: { input: 10, output: 5 },
    cost: 600,
  },
  {
    name: "a failed response in place of a stream keeps its meaning",
    stream: true,
    wires: ["responses"],
    reply: {
      body: {
        id: "resp_a",
        object: "response",
        status: "failed",
        output: [],
        error: { code: "rate_limit_exceeded", message: "Slow down." },
      },
    },
    expected: { error: "no_provider_available", status: 503 },
  },
];
