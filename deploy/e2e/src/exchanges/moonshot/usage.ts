import { delta } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { sse } from "../sse.ts";

const block = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, cached_tokens: 60 };

/** https://platform.moonshot.ai/docs/api/chat */
export const moonshotUsage: readonly Exchange[] = [
  {
    name: "a stream has its usage in the choice, with the cache beside the other counts",
    stream: true,
    reply: {
      body: sse(
        delta({ content: "Hello." }),
        { choices: [{ index: 0, delta: {}, finish_reason: "stop", usage: block }] },
        "[DONE]",
      ),
    },
    expected: { text: "Hello." },
    // 40 × 10 + 60 × 1 + 5 × 100
    usage: { input: 40, cached: 60, output: 5 },
    cost: 960,
  },
];
