import { dialectExchanges } from "../chat-dialect.ts";
import { completion, toolCall } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";

const extra_content = { google: { thought_signature: "c2ln" } };

function refusal(code: number, status: string, message: string, ...details: object[]) {
  return { status: code, body: [{ error: { code, message, status, details } }] };
}

/** https://ai.google.dev/gemini-api/docs/openai */
export const geminiOpenaiUsual = dialectExchanges({
  first: { role: "assistant", content: "" },
  delta: { role: "assistant" },
  reasoning: undefined,
  callDeltas: (index, id, text) => [
    { tool_calls: [toolCall(id, text, { index, ...(index === 0 ? { extra_content } : {}) })] },
  ],
  callIds: ["function-call-1", "function-call-2"],
  callMembers: (index) => (index === 0 ? { extra_content } : {}),
  usage: ({ prompt, cached, output }) => ({
    completion_tokens: output,
    prompt_tokens: prompt,
    total_tokens: prompt + output,
    ...(cached === 0 ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  }),
  reportsReasoning: false,
  usageIn: "each",
  filter: "content_filter",
  refusals: {
    invalid: refusal(400, "INVALID_ARGUMENT", "Request contains an invalid argument."),
    tooLong: refusal(
      400,
      "INVALID_ARGUMENT",
      "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    rate: refusal(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", {
      "@type": "type.googleapis.com/google.rpc.RetryInfo",
      retryDelay: "7s",
    }),
  },
});

export const geminiOpenaiOddities: readonly Exchange[] = [
  {
    name: "the total has thinking that the completion lacks",
    reply: {
      body: completion({ content: "Hello." }, "stop", {
        prompt_tokens: 35,
        completion_tokens: 12,
        total_tokens: 109,
      }),
    },
    expected: { text: "Hello." },
    // 35 × 10 + 74 × 100
    usage: { input: 35, output: 74 },
    cost: 7_750,
  },
];
