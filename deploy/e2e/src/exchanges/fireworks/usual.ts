import { callInParts, dialectExchanges } from "../chat-dialect.ts";

/** https://docs.fireworks.ai/api-reference/post-chatcompletions */
export const fireworksUsual = dialectExchanges({
  choice: { token_ids: null },
  chunkChoice: { logprobs: null },
  first: { role: "assistant" },
  reasoning: "reasoning_content",
  callDeltas: callInParts,
  callIds: ["functions.read_file:0", "functions.read_file:1"],
  callMembers: (index) => ({ index }),
  usage: ({ prompt, cached, output }) => ({
    prompt_tokens: prompt,
    total_tokens: prompt + output,
    completion_tokens: output,
    prompt_tokens_details: { cached_tokens: cached },
  }),
  reportsReasoning: false,
  usageIn: "last",
  usageMembers: () => ({ perf_metrics: null }),
  refusals: {
    invalid: {
      status: 400,
      body: {
        error: {
          object: "error",
          type: "invalid_request_error",
          code: "invalid_request_error",
          message: "Extra inputs are not permitted, field: 'x'",
        },
      },
    },
    tooLong: {
      status: 400,
      body: {
        error: {
          object: "error",
          type: "invalid_request_error",
          code: "invalid_request_error",
          message: "The prompt is too long: 140000, model maximum context length: 131071",
        },
      },
    },
    rate: {
      status: 429,
      headers: { "retry-after": "7" },
      body: {
        error: { object: "error", type: "rate_limit_exceeded", message: "Too many requests." },
      },
    },
  },
});
