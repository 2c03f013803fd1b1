import { callAtOnce, dialectExchanges } from "../chat-dialect.ts";
import { completion, delta, end, smallUsage } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { thinking } from "../requests.ts";
import { sse } from "../sse.ts";

/** https://docs.mistral.ai/api/endpoint/chat */
export const mistralUsual = dialectExchanges({
  head: { p: "abcd" },
  first: { role: "assistant", content: "" },
  reasoning: undefined,
  callDeltas: callAtOnce,
  callIds: ["a1b2c3d4e", "f1b2c3d4e"],
  callMembers: (index) => ({ index }),
  usage: ({ prompt, cached, output }) => ({
    prompt_tokens: prompt,
    total_tokens: prompt + output,
    completion_tokens: output,
    ...(cached === 0 ? {} : { num_cached_tokens: cached }),
  }),
  reportsReasoning: false,
  usageIn: "last",
  refusals: {
    invalid: {
      status: 422,
      body: {
        object: "error",
        message: { detail: [{ type: "extra_forbidden", loc: ["body", "x"], msg: "Extra inputs" }] },
        type: "invalid_request_error",
        param: null,
        code: null,
      },
    },
    tooLong: {
      status: 400,
      body: {
        object: "error",
        message:
          "Prompt contains 140000 tokens, too large for model with 131072 maximum context length",
        type: "invalid_request_invalid_args",
        param: null,
        code: "3051",
      },
    },
    rate: {
      status: 429,
      headers: { "retry-after": "7" },
      body: {
        object: "error",
        message: "Service tier capacity exceeded for this model.",
        type: "service_tier_capacity_exceeded",
        param: null,
        code: "3505",
      },
    },
  },
});

const usage = { input: 10, output: 5 };
const thought = { type: "thinking", thinking: [{ type: "text", text: "Let me think." }] };
const row = {
  model: "magistral-medium-latest",
  request: { chat: { ...thinking.chat, reasoning_effort: "high" } },
  expected: { text: "Hello.", reasoning: "Let me think." },
  usage,
  cost: 600,
};

export const mistralThinking: readonly Exchange[] = [
  {
    ...row,
    name: "reasoning in a part of its own",
    reply: {
      body: completion({
        content: [
          { ...thought, closed: true },
          { type: "text", text: "Hello." },
        ],
      }),
    },
  },
  {
    ...row,
    name: "reasoning in a part of its own, streamed",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "" }),
        delta({ content: [thought] }),
        delta({ content: [{ type: "text", text: "Hel" }] }),
        delta({ content: "lo." }),
        delta({ content: "" }, "stop", { usage: smallUsage }),
        "[DONE]",
      ),
    },
  },
  {
    name: "a text that the context window cuts",
    stream: true,
    reply: { body: sse(delta({ role: "assistant", content: "Hel" }), ...end("model_length")) },
    expected: { text: "Hel", finish: "length" },
    usage,
    cost: 600,
  },
];
