import { type ChatDialect, callInParts, dialectExchanges } from "../chat-dialect.ts";
import { completion, delta, end, toolCall } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { withTool } from "../requests.ts";
import { sse } from "../sse.ts";

/** https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html */
const vllmDialect: ChatDialect = {
  head: { prompt_logprobs: null, kv_transfer_params: null },
  choice: { logprobs: null, stop_reason: null, token_ids: null },
  message: { refusal: null, annotations: null, audio: null, function_call: null },
  chunkChoice: { logprobs: null, token_ids: null },
  first: { role: "assistant", content: "", reasoning_content: null },
  reasoning: "reasoning_content",
  callDeltas: callInParts,
  callIds: ["chatcmpl-tool-a", "chatcmpl-tool-b"],
  usage: ({ prompt, cached, output }) => ({
    prompt_tokens: prompt,
    total_tokens: prompt + output,
    completion_tokens: output,
    prompt_tokens_details: cached === 0 ? null : { cached_tokens: cached },
  }),
  reportsReasoning: false,
  usageIn: "own",
  refusals: {
    invalid: {
      status: 400,
      body: {
        error: {
          message: "temperature must be non-negative.",
          type: "BadRequestError",
          param: null,
          code: 400,
        },
      },
    },
    tooLong: {
      status: 400,
      body: {
        object: "error",
        message:
          "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens in the messages. Please reduce the length of the messages.",
        type: "BadRequestError",
        param: null,
        code: 400,
      },
    },
    rate: {
      status: 503,
      headers: { "retry-after": "7" },
      body: {
        error: {
          message: "The server is overloaded.",
          type: "ServiceUnavailable",
          param: null,
          code: 503,
        },
      },
    },
  },
};

export const vllmUsual = dialectExchanges(vllmDialect);

const usage = { input: 10, output: 5 };
const calls = [["read_file", { path: "a" }]] as const;

export const vllmOddities: readonly Exchange[] = [
  {
    name: "usage so far on each chunk",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "" }, null, {
          usage: { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 },
        }),
        delta({ content: "Hello." }, null, {
          usage: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 },
        }),
        ...end("stop"),
      ),
    },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "reasoning by both of its names",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "" }),
        delta({ reasoning: "Let me think.", reasoning_content: "Let me think." }),
        delta({ content: "Hello." }),
        ...end("stop"),
      ),
    },
    expected: { text: "Hello.", reasoning: "Let me think." },
    usage,
    cost: 600,
  },
  {
    name: "a call that was forced finishes with stop",
    request: withTool,
    reply: {
      body: completion({ content: "", tool_calls: [toolCall("call_a", '{"path":"a"}')] }, "stop"),
    },
    expected: { calls, finish: "tool_calls" },
    on: { chat: { finish: "stop" } },
    usage,
    cost: 600,
  },
  {
    name: "later parts of a call have members that are null",
    stream: true,
    request: withTool,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "", tool_calls: null }),
        delta({ tool_calls: [toolCall("call_a", "", { index: 0 })] }),
        ...['{"path"', ':"a"}'].map((text) =>
          delta({
            content: null,
            tool_calls: [
              { index: 0, id: null, type: null, function: { name: null, arguments: text } },
            ],
          }),
        ),
        ...end("tool_calls"),
      ),
    },
    expected: { calls },
    usage,
    cost: 600,
  },
  {
    name: "a stream that ends without a finish reason",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "Hel" }),
        delta({ content: "lo." }),
        ...end("stop").slice(1),
      ),
    },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
];
