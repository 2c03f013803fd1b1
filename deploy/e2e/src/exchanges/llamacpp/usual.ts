import { callInParts, dialectExchanges } from "../chat-dialect.ts";
import { delta, end } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { sse } from "../sse.ts";

const timings = { cache_n: 0, prompt_n: 10, prompt_ms: 1.5, predicted_n: 5, predicted_ms: 2.5 };

/** https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md */
export const llamacppUsual = dialectExchanges({
  head: { system_fingerprint: "b1-a", timings },
  first: { role: "assistant", content: null },
  reasoning: "reasoning_content",
  callDeltas: callInParts,
  callIds: ["a1b2c3d4e5f6", "b1b2c3d4e5f6"],
  usage: ({ prompt, cached, output }) => ({
    completion_tokens: output,
    prompt_tokens: prompt,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cached },
  }),
  reportsReasoning: false,
  usageIn: "own",
  refusals: {
    invalid: {
      status: 400,
      body: { error: { code: 400, message: "Expected 'messages'", type: "invalid_request_error" } },
    },
    tooLong: {
      status: 400,
      body: {
        error: {
          code: 400,
          message:
            "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
          type: "exceed_context_size_error",
          n_prompt_tokens: 5_000,
          n_ctx: 4_096,
        },
      },
    },
    rate: {
      status: 503,
      headers: { "retry-after": "7" },
      body: { error: { code: 503, message: "Loading model", type: "unavailable_error" } },
    },
  },
});

const progress = { total: 10, cache: 0, processed: 4, time_ms: 3 };

export const llamacppOddities: readonly Exchange[] = [
  {
    name: "how far the prompt is read comes first",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: null }, null, { prompt_progress: progress }),
        delta({}, null, { prompt_progress: { ...progress, processed: 10 } }),
        delta({ content: "Hello." }),
        ...end("stop"),
      ),
    },
    expected: { text: "Hello." },
    usage: { input: 10, output: 5 },
    cost: 600,
  },
];
