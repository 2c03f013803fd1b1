import { callInParts, dialectExchanges } from "../chat-dialect.ts";
import { delta, smallUsage } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { sse } from "../sse.ts";

const head = {
  citations: ["https://example.com/a"],
  search_results: [{ title: "A", url: "https://example.com/a", date: null, snippet: "a" }],
};

/** https://docs.perplexity.ai/api-reference/chat-completions-post */
export const perplexityUsual = dialectExchanges({
  head,
  chunkChoice: { message: { role: "assistant", content: "so far" } },
  reasoning: undefined,
  callDeltas: callInParts,
  callIds: ["call_a", "call_b"],
  usage: ({ prompt, cached, output }) => ({
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cached },
    search_context_size: "low",
    cost: { input_tokens_cost: 0.00001, output_tokens_cost: 0.00001, total_cost: 0.00502 },
  }),
  reportsReasoning: false,
  usageIn: "each",
  ending: "",
  refusals: {
    invalid: {
      status: 400,
      body: {
        error: {
          message: "Last message must have role `user`.",
          type: "invalid_message",
          code: 400,
        },
      },
    },
    rate: {
      status: 429,
      headers: { "retry-after": "7" },
      body: {
        error: {
          message: "Request rate limit exceeded",
          type: "request_rate_limit_exceeded",
          code: 429,
        },
      },
    },
  },
});

export const perplexityOddities: readonly Exchange[] = [
  {
    name: "the last chunk has another object, and the whole text",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "Hel" }, null, head),
        delta({ role: "assistant", content: "lo." }, null, head),
        {
          ...delta({ role: "assistant", content: "" }, "stop", head),
          object: "chat.completion.done",
          usage: smallUsage,
        },
      ),
    },
    expected: { text: "Hello." },
    usage: { input: 10, output: 5 },
    cost: 600,
  },
];
