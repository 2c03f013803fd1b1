import { completion } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";

/** https://ai.google.dev/gemini-api/docs/openai */
export const geminiOpenaiUsage: readonly Exchange[] = [
  {
    name: "what the total has beyond the prompt is output",
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
