import { callInParts, dialectExchanges } from "../chat-dialect.ts";
import { completion } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";

/** https://docs.together.ai/reference/chat-completions-1 */
export const togetherUsual = dialectExchanges({
  head: { prompt: [], system_fingerprint: null },
  choice: { logprobs: null, seed: 7 },
  chunkChoice: { text: "", logprobs: null, seed: null },
  delta: { role: "assistant", token_id: 3, tool_calls: [] },
  reasoning: "reasoning",
  callDeltas: callInParts,
  callIds: ["call_a", "call_b"],
  callMembers: (index) => ({ index }),
  usage: ({ prompt, cached, output, reasoning }) => ({
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    cached_tokens: cached,
    ...(reasoning === 0 ? {} : { reasoning_tokens: reasoning }),
  }),
  reportsReasoning: false,
  usageIn: "last",
  refusals: {
    invalid: {
      status: 400,
      body: {
        id: "o-1",
        error: {
          message: "Invalid request.",
          type: "invalid_request_error",
          param: null,
          code: null,
        },
      },
    },
    tooLong: {
      status: 422,
      body: {
        id: "o-1",
        error: {
          message:
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 131073. Given: 140000 `inputs` tokens and 4096 `max_new_tokens`",
          type: "invalid_request_error",
          param: null,
          code: null,
        },
      },
    },
    rate: {
      status: 429,
      headers: { "retry-after": "7" },
      body: {
        id: "o-1",
        error: {
          message: "You have reached the rate limit specific to this model.",
          type: "model_rate_limit",
          param: null,
          code: null,
        },
      },
    },
  },
});

export const togetherOddities: readonly Exchange[] = [
  {
    name: "a text that ends by the model's own token",
    reply: { body: completion({ content: "Hello.", tool_calls: [] }, "eos") },
    expected: { text: "Hello." },
    usage: { input: 10, output: 5 },
    cost: 600,
  },
];
