import { callInParts, dialectExchanges } from "../chat-dialect.ts";
import { delta } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { sse } from "../sse.ts";

/** https://platform.moonshot.ai/docs/api/chat */
export const moonshotUsual = dialectExchanges({
  head: { system_fingerprint: "fpv0_a" },
  reasoning: "reasoning_content",
  callDeltas: callInParts,
  callIds: ["read_file:0", "read_file:1"],
  callMembers: (index) => ({ index }),
  usage: ({ prompt, cached, output }) => ({
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    ...(cached === 0 ? {} : { cached_tokens: cached }),
  }),
  reportsReasoning: false,
  usageIn: "own",
  refusals: {
    invalid: {
      status: 400,
      body: {
        error: {
          message: "tool_call_id is not found",
          type: "invalid_request_error",
        },
      },
    },
    tooLong: {
      status: 400,
      body: {
        error: {
          message:
            "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)",
          type: "invalid_request_error",
        },
      },
    },
    rate: {
      status: 429,
      headers: { "retry-after": "7" },
      body: {
        error: {
          message:
            "Your account request reached organization max RPM: 3, please try again after 7 seconds",
          type: "rate_limit_reached_error",
        },
      },
    },
  },
});

const usage = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, cached_tokens: 60 };

export const moonshotOddities: readonly Exchange[] = [
  {
    name: "usage stands in the choice alone, with the cache beside its other counts",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "Hello." }),
        { choices: [{ index: 0, delta: {}, finish_reason: "stop", usage }] },
        "[DONE]",
      ),
    },
    expected: { text: "Hello." },
    // 40 × 10 + 60 × 1 + 5 × 100
    usage: { input: 40, cached: 60, output: 5 },
    cost: 960,
  },
];
