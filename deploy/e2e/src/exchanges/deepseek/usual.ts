import { callInParts, dialectExchanges } from "../chat-dialect.ts";
import { completion, delta, end } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { sse } from "../sse.ts";

/** https://api-docs.deepseek.com/api/create-chat-completion */
export const deepseekUsual = dialectExchanges({
  head: { system_fingerprint: "fp_a" },
  choice: { logprobs: null },
  chunkChoice: { logprobs: null },
  first: { role: "assistant", content: null, reasoning_content: "" },
  between: ": keep-alive\n\n",
  reasoning: "reasoning_content",
  callDeltas: callInParts,
  callIds: ["call_00_a", "call_01_b"],
  callMembers: (index) => ({ index }),
  usage: ({ prompt, cached, output, reasoning }) => ({
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
    prompt_cache_hit_tokens: cached,
    prompt_cache_miss_tokens: prompt - cached,
  }),
  reportsReasoning: true,
  usageIn: "last",
  filter: "content_filter",
  refusals: {
    invalid: {
      status: 400,
      body: {
        error: {
          message: "Invalid consecutive assistant message at message index 3",
          type: "invalid_request_error",
          param: null,
          code: "invalid_request_error",
        },
      },
    },
    tooLong: {
      status: 400,
      body: {
        error: {
          message:
            "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens (136000 in the messages, 4000 in the completion).",
          type: "invalid_request_error",
          param: null,
          code: "invalid_request_error",
        },
      },
    },
    rate: {
      status: 429,
      headers: { "retry-after": "7" },
      body: {
        error: {
          message: "Rate limit reached for requests",
          type: "rate_limit_reached_error",
          param: null,
          code: "rate_limit_reached_error",
        },
      },
    },
  },
});

const usage = { input: 10, output: 5 };

export const deepseekOddities: readonly Exchange[] = [
  {
    name: "empty lines before a completion keep the connection alive",
    reply: {
      headers: { "content-type": "application/json" },
      body: `\n\n\n\n${JSON.stringify(completion({ content: "Hello." }))}`,
    },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "a cached prompt that only its own members report",
    reply: {
      body: completion({ content: "Hello." }, "stop", {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_cache_hit_tokens: 4,
        prompt_cache_miss_tokens: 6,
      }),
    },
    expected: { text: "Hello." },
    usage: { input: 6, cached: 4, output: 5 },
    cost: 564,
  },
  {
    name: "a text that ends since the servers are full",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "Hel" }),
        ...end("insufficient_system_resource"),
      ),
    },
    expected: { text: "Hel", finish: "length" },
    usage,
    cost: 600,
  },
];
