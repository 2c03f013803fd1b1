import { callAtOnce, dialectExchanges } from "../chat-dialect.ts";
import { completion } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";

/** https://docs.z.ai/api-reference/llm/chat-completion */
export const zaiUsual = dialectExchanges({
  head: { request_id: "r" },
  first: { role: "assistant", content: "" },
  delta: { role: "assistant" },
  reasoning: "reasoning_content",
  callDeltas: callAtOnce,
  callIds: ["call_a", "call_b"],
  callMembers: (index) => ({ index }),
  usage: ({ prompt, cached, output }) => ({
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cached },
  }),
  reportsReasoning: false,
  usageIn: "last",
  refusals: {
    invalid: {
      status: 400,
      body: { error: { code: "1210", message: "API call parameters are incorrect." } },
    },
    tooLong: {
      status: 400,
      body: { error: { code: "1261", message: "Prompt exceeds max length" } },
    },
    rate: {
      status: 429,
      headers: { "retry-after": "7" },
      body: { error: { code: "1302", message: "High concurrency usage of this API." } },
    },
  },
});

const usage = { input: 10, output: 5 };

export const zaiFinishes: readonly Exchange[] = [
  {
    name: "a text that a content filter stops",
    reply: { body: completion({ content: "Hel" }, "sensitive") },
    expected: { text: "Hel", finish: "content_filter" },
    usage,
    cost: 600,
  },
  {
    name: "a text that the context window cuts",
    reply: { body: completion({ content: "Hel" }, "model_context_window_exceeded") },
    expected: { text: "Hel", finish: "length" },
    usage,
    cost: 600,
  },
];
