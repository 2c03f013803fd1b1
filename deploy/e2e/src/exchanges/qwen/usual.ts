import { dialectExchanges } from "../chat-dialect.ts";
import { toolCall } from "../chunks.ts";
import { partsOf } from "../usual-exchanges.ts";

/** https://www.alibabacloud.com/help/en/model-studio/qwen-api-reference */
export const qwenUsual = dialectExchanges({
  head: { system_fingerprint: null },
  choice: { logprobs: null },
  chunkChoice: { logprobs: null },
  first: { role: "assistant", content: "", reasoning_content: null },
  reasoning: "reasoning_content",
  // The later parts of a call have an empty id.
  callDeltas: (index, id, text) => [
    { content: null, tool_calls: [toolCall(id, "", { index })] },
    ...partsOf(text).map((part) => ({
      content: null,
      tool_calls: [{ index, id: "", type: "function", function: { arguments: part } }],
    })),
    {
      content: null,
      tool_calls: [{ index, id: "", type: "function", function: { arguments: null } }],
    },
  ],
  callIds: ["call_a", "call_b"],
  callMembers: (index) => ({ index }),
  usage: ({ prompt, cached, output, reasoning }) => ({
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    completion_tokens_details: { reasoning_tokens: reasoning, text_tokens: output - reasoning },
    prompt_tokens_details: { cached_tokens: cached, text_tokens: prompt },
  }),
  reportsReasoning: true,
  usageIn: "own",
  refusals: {
    invalid: {
      status: 400,
      body: {
        error: {
          code: "invalid_parameter_error",
          param: null,
          message: "<400> InternalError.Algo.InvalidParameter: The parameters are wrong.",
          type: "invalid_request_error",
        },
        request_id: "r",
      },
    },
    tooLong: {
      status: 400,
      body: {
        error: {
          code: "invalid_parameter_error",
          param: null,
          message:
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 258048]",
          type: "invalid_request_error",
        },
        request_id: "r",
      },
    },
    rate: {
      status: 429,
      headers: { "retry-after": "7" },
      body: {
        error: {
          message: "You have exceeded your current request limit.",
          type: "limit_requests",
          param: null,
          code: "limit_requests",
        },
        request_id: "r",
      },
    },
  },
});
