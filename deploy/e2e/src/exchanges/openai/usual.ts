import { type ChatDialect, callInParts, dialectExchanges } from "../chat-dialect.ts";

/** https://platform.openai.com/docs/api-reference/chat-streaming */
export const openaiDialect: ChatDialect = {
  head: { service_tier: "default", system_fingerprint: "fp_1" },
  choice: { logprobs: null },
  message: { refusal: null, annotations: [] },
  chunkChoice: { logprobs: null },
  first: { role: "assistant", content: "", refusal: null },
  reasoning: undefined,
  callDeltas: callInParts,
  callIds: ["call_a", "call_b"],
  usage: ({ prompt, cached, output, reasoning }) => ({
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }),
  reportsReasoning: true,
  usageIn: "own",
  usageMembers: () => ({ obfuscation: "a1b2" }),
  filter: "content_filter",
  refusals: {
    invalid: {
      status: 400,
      body: {
        error: {
          message: "Invalid value: 'x'.",
          type: "invalid_request_error",
          param: "messages[0].role",
          code: "invalid_value",
        },
      },
    },
    tooLong: {
      status: 400,
      body: {
        error: {
          message: "Your input exceeds the context window of this model.",
          type: "invalid_request_error",
          param: "messages",
          code: "context_length_exceeded",
        },
      },
    },
    rate: {
      status: 429,
      headers: {
        "retry-after": "7",
        "retry-after-ms": "6400",
        "x-ratelimit-remaining-tokens": "0",
      },
      body: {
        error: {
          message: "Rate limit reached for gpt-5.1. Please try again in 6.4s.",
          type: "tokens",
          param: null,
          code: "rate_limit_exceeded",
        },
      },
    },
  },
};

export const openaiUsual = dialectExchanges(openaiDialect);
