import { callAtOnce, dialectExchanges } from "../chat-dialect.ts";

const time_info = {
  queue_time: 0.001,
  prompt_time: 0.002,
  completion_time: 0.01,
  total_time: 0.02,
};

/** https://inference-docs.cerebras.ai/api-reference/chat-completions */
export const cerebrasUsual = dialectExchanges({
  head: { system_fingerprint: "fp_a", time_info },
  first: { role: "assistant" },
  reasoning: "reasoning",
  callDeltas: callAtOnce,
  callIds: ["a1b2c3d4e", "f1b2c3d4e"],
  usage: ({ prompt, cached, output }) => ({
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  }),
  reportsReasoning: false,
  usageIn: "last",
  refusals: {
    invalid: {
      status: 400,
      body: {
        message: "body.x: property 'body.x' is unsupported",
        type: "invalid_request_error",
        param: "validation_error",
        code: "wrong_api_format",
      },
    },
    tooLong: {
      status: 400,
      body: {
        message:
          "Please reduce the length of the messages or completion. Current length is 140000 while limit is 131072",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
    rate: {
      status: 429,
      headers: { "retry-after": "7" },
      body: {
        message: "Tokens per minute limit exceeded - too many tokens processed.",
        type: "too_many_tokens_error",
        param: "quota",
        code: "token_quota_exceeded",
      },
    },
  },
});
