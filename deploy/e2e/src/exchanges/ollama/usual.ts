import { callAtOnce, dialectExchanges } from "../chat-dialect.ts";

/** https://docs.ollama.com/api/openai-compatibility */
export const ollamaUsual = dialectExchanges({
  head: { system_fingerprint: "fp_ollama" },
  delta: { role: "assistant", content: "" },
  reasoning: "reasoning",
  callDeltas: callAtOnce,
  callIds: ["call_a1b2c3d4", "call_e1b2c3d4"],
  callMembers: (index) => ({ index }),
  usage: ({ prompt, cached, output }) => ({
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    ...(cached === 0 ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  }),
  reportsReasoning: false,
  usageIn: "own",
  refusals: {
    invalid: {
      status: 400,
      body: {
        error: {
          message: "registry.ollama.ai/library/a does not support tools",
          type: "api_error",
          param: null,
          code: null,
        },
      },
    },
    rate: {
      status: 503,
      headers: { "retry-after": "7" },
      body: {
        error: {
          message: "server busy, please try again. maximum pending requests exceeded",
          type: "api_error",
          param: null,
          code: null,
        },
      },
    },
  },
});
