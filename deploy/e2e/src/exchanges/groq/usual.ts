import { callAtOnce, dialectExchanges } from "../chat-dialect.ts";
import { delta, smallUsage } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { sse } from "../sse.ts";

const times = { queue_time: 0.01, prompt_time: 0.002, completion_time: 0.01, total_time: 0.012 };

/** https://console.groq.com/docs/api-reference */
export const groqUsual = dialectExchanges({
  head: { system_fingerprint: "fp_a", x_groq: { id: "req_a", seed: 1 }, service_tier: "on_demand" },
  choice: { logprobs: null },
  chunkChoice: { logprobs: null },
  reasoning: "reasoning",
  callDeltas: callAtOnce,
  callIds: ["fc_a", "fc_b"],
  usage: ({ prompt, cached, output, reasoning }) => ({
    ...times,
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    ...(cached === 0 ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    completion_tokens_details: { reasoning_tokens: reasoning },
  }),
  reportsReasoning: true,
  usageIn: "last",
  usageMembers: (usage) => ({ x_groq: { id: "req_a", usage } }),
  refusals: {
    invalid: {
      status: 400,
      body: {
        error: {
          message: "Failed to call a function. Please adjust your prompt.",
          type: "invalid_request_error",
          code: "tool_use_failed",
          failed_generation: "<function=read_file>",
        },
      },
    },
    tooLong: {
      status: 400,
      body: {
        error: {
          message: "Please reduce the length of the messages or completion.",
          type: "invalid_request_error",
          param: "messages",
          code: "context_length_exceeded",
        },
      },
    },
    rate: {
      status: 429,
      headers: { "retry-after": "7", "x-ratelimit-reset-tokens": "6.2s" },
      body: {
        error: {
          message: "Rate limit reached for model `openai/gpt-oss-120b`. Please try again in 6.2s.",
          type: "tokens",
          code: "rate_limit_exceeded",
        },
      },
    },
  },
});

export const groqOddities: readonly Exchange[] = [
  {
    name: "usage stands in x_groq alone",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "Hello." }, null, { x_groq: { id: "req_a" } }),
        delta({}, "stop", { x_groq: { id: "req_a", usage: { ...times, ...smallUsage } } }),
        "[DONE]",
      ),
    },
    expected: { text: "Hello." },
    usage: { input: 10, output: 5 },
    cost: 600,
  },
  {
    name: "a call that fails in the middle of a stream",
    stream: true,
    reply: {
      body: `${sse(delta({ role: "assistant", content: "Hel" }))}event: error\n${sse({
        error: {
          message: "Failed to call a function.",
          type: "invalid_request_error",
          code: "tool_use_failed",
          failed_generation: "{",
          status_code: 400,
        },
      })}`,
    },
    expected: { error: "upstream_rejected" },
  },
];
