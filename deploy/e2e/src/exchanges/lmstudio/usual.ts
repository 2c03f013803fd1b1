import { callInParts, dialectExchanges } from "../chat-dialect.ts";
import { delta } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { sse } from "../sse.ts";

const overflow =
  "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.";

/** https://lmstudio.ai/docs/developer/openai-compat */
export const lmstudioUsual = dialectExchanges({
  head: { system_fingerprint: "openai/gpt-oss-20b", stats: {} },
  choice: { logprobs: null },
  chunkChoice: { logprobs: null },
  first: { role: "assistant" },
  reasoning: "reasoning",
  callDeltas: callInParts,
  callIds: ["365174485", "365174486"],
  usage: ({ prompt, cached, output, reasoning }) => ({
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    completion_tokens_details: { reasoning_tokens: reasoning },
    ...(cached === 0 ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  }),
  reportsReasoning: true,
  usageIn: "own",
  refusals: {
    invalid: { status: 400, body: { error: "'messages' field is required" } },
    tooLong: { status: 400, body: { error: overflow } },
    rate: {
      status: 503,
      headers: { "retry-after": "7" },
      body: { error: "The model is loading." },
    },
  },
});

export const lmstudioOddities: readonly Exchange[] = [
  {
    name: "a refusal as the first event of a stream",
    stream: true,
    reply: {
      body: `event: error\n${sse({ error: { message: overflow }, message: overflow })}`,
    },
    expected: { status: 400, error: "context_length_exceeded" },
  },
  {
    name: "a stream that fails in the middle",
    stream: true,
    reply: {
      body: `${sse(delta({ role: "assistant", content: "Hel" }))}event: error\n${sse({
        error: { message: "The model has crashed without additional information." },
      })}`,
    },
    expected: { error: "upstream_rejected" },
  },
];
