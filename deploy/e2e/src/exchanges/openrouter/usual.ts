import { callInParts, dialectExchanges } from "../chat-dialect.ts";
import { completion, delta, smallUsage } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { sse } from "../sse.ts";

/** https://openrouter.ai/docs/api/reference/overview */
export const openrouterUsual = dialectExchanges({
  head: { provider: "DeepInfra", system_fingerprint: null },
  choice: { logprobs: null, native_finish_reason: "stop" },
  message: { refusal: null },
  chunkChoice: { logprobs: null, native_finish_reason: null },
  delta: { role: "assistant" },
  before: ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n",
  reasoning: "reasoning",
  callDeltas: callInParts,
  callIds: ["call_a", "call_b"],
  usage: ({ prompt, cached, output, reasoning }) => ({
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    cost: 0.0012,
    is_byok: false,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0, video_tokens: 0 },
    cost_details: { upstream_inference_cost: null, upstream_inference_prompt_cost: 0.001 },
    completion_tokens_details: { reasoning_tokens: reasoning, image_tokens: 0 },
  }),
  reportsReasoning: true,
  usageIn: "own",
  usageChoices: [
    {
      index: 0,
      delta: { role: "assistant", content: "" },
      finish_reason: null,
      native_finish_reason: null,
      logprobs: null,
    },
  ],
  filter: "content_filter",
  refusals: {
    invalid: { status: 400, body: { error: { message: "Provider returned error", code: 400 } } },
    tooLong: {
      status: 400,
      body: {
        error: {
          message:
            "This endpoint's maximum context length is 163840 tokens. However, you requested about 200000 tokens.",
          code: 400,
          metadata: { provider_name: null },
        },
        user_id: "user_a",
      },
    },
    rate: {
      status: 429,
      headers: { "retry-after": "7" },
      body: {
        error: {
          message: "Provider returned error",
          code: 429,
          metadata: {
            raw: "The model is temporarily rate-limited upstream.",
            provider_name: "Chutes",
          },
        },
        user_id: "user_a",
      },
    },
  },
});

const usage = { input: 10, output: 5 };

export const openrouterOddities: readonly Exchange[] = [
  {
    name: "white space before a completion keeps the connection alive",
    reply: {
      headers: { "content-type": "application/json" },
      body: `\n         \n\n         \n${JSON.stringify(completion({ content: "Hello." }))}`,
    },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "a stream that fails in the middle",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "Hel" }),
        delta({ content: "" }, "error", {
          error: { code: 502, message: "Provider disconnected unexpectedly" },
        }),
        "[DONE]",
      ),
    },
    expected: { error: "upstream_rejected" },
  },
  {
    name: "a failure with the status 200",
    reply: {
      body: { error: { code: 502, message: "Provider returned error" }, user_id: "user_a" },
    },
    expected: { status: 502, error: "upstream_rejected" },
  },
  {
    name: "details of reasoning beside its text",
    stream: true,
    reply: {
      body: sse(
        delta({
          role: "assistant",
          content: "",
          reasoning: "Let me think.",
          reasoning_details: [
            { type: "reasoning.text", text: "Let me think.", format: "unknown", index: 0 },
          ],
        }),
        delta({ role: "assistant", content: "Hello." }),
        delta({ role: "assistant", content: "" }, "stop"),
        { ...delta({ content: "" }), usage: smallUsage },
        "[DONE]",
      ),
    },
    expected: { text: "Hello.", reasoning: "Let me think." },
    usage,
    cost: 600,
  },
];
