import { callAtOnce, dialectExchanges } from "../chat-dialect.ts";
import { delta, end } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { sse } from "../sse.ts";

/** https://docs.x.ai/docs/api-reference#chat-completions */
export const xaiUsual = dialectExchanges({
  head: { system_fingerprint: "fp_a", citations: null },
  message: { refusal: null },
  delta: { role: "assistant" },
  first: {},
  reasoning: "reasoning_content",
  callDeltas: callAtOnce,
  callIds: ["call_1", "call_2"],
  callMembers: (index) => ({ index }),
  // The tokens of reasoning are apart from those of the completion.
  usage: ({ prompt, cached, output, reasoning }) => ({
    prompt_tokens: prompt,
    completion_tokens: output - reasoning,
    total_tokens: prompt + output,
    prompt_tokens_details: {
      text_tokens: prompt,
      audio_tokens: 0,
      image_tokens: 0,
      cached_tokens: cached,
    },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    num_sources_used: 0,
    cost_in_usd_ticks: 1_200_000,
  }),
  reportsReasoning: true,
  usageIn: "own",
  refusals: {
    invalid: {
      status: 400,
      body: { code: "Client specified an invalid argument", error: "Invalid request content." },
    },
    tooLong: {
      status: 400,
      body: {
        code: "Client specified an invalid argument",
        error:
          "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
      },
    },
    rate: {
      status: 429,
      headers: { "retry-after": "7" },
      body: { code: "Some resource has been exhausted", error: "Too many requests." },
    },
  },
});

export const xaiOddities: readonly Exchange[] = [
  {
    name: "the sources of a search",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "Hello." }),
        { ...delta({}, null), citations: ["https://example.com/a"] },
        ...end("stop"),
      ),
    },
    expected: { text: "Hello." },
    usage: { input: 10, output: 5 },
    cost: 600,
  },
];
