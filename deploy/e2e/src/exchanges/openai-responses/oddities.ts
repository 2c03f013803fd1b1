import type { Exchange } from "../exchange.ts";

/** https://platform.openai.com/docs/api-reference/responses/object */
export const openaiResponsesOddities: readonly Exchange[] = [
  {
    name: "a complete response whose output is null is empty",
    reply: {
      body: {
        id: "r",
        object: "response",
        created_at: 1,
        model: "u",
        status: "completed",
        output: null,
        usage: {
          input_tokens: 10,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 5,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 15,
        },
      },
    },
    expected: {},
    usage: { input: 10, output: 5 },
    cost: 600,
  },
];
