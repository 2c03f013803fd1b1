import { dialectExchanges } from "../chat-dialect.ts";
import { completion, delta, end, smallUsage, usageChunk } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { openaiDialect } from "../openai/usual.ts";
import { sse } from "../sse.ts";

const safe = { filtered: false, severity: "safe" };
const content_filter_results = { hate: safe, self_harm: safe, sexual: safe, violence: safe };
const prompt_filter_results = [{ prompt_index: 0, content_filter_results }];
const promptFilter = sse({
  ...{ id: "", object: "", created: 0, model: "", choices: [] },
  prompt_filter_results,
});

/** https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter-annotations */
export const azureUsual = dialectExchanges({
  ...openaiDialect,
  before: promptFilter,
  choice: { logprobs: null, content_filter_results },
  chunkChoice: { logprobs: null, content_filter_results: {} },
  refusals: {
    invalid: {
      status: 400,
      body: {
        error: {
          message: "Unsupported parameter.",
          type: "invalid_request_error",
          param: "x",
          code: "unsupported_parameter",
        },
      },
    },
    tooLong: {
      status: 400,
      body: {
        error: {
          message:
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
          type: "invalid_request_error",
          param: "messages",
          code: "context_length_exceeded",
        },
      },
    },
    rate: {
      status: 429,
      headers: { "retry-after": "7" },
      body: {
        error: {
          code: "429",
          message: "Requests have exceeded the token rate limit. Retry after 7 s.",
        },
      },
    },
  },
});

const usage = { input: 10, output: 5 };

export const azureFilters: readonly Exchange[] = [
  {
    name: "an asynchronous filter's chunks have no delta",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "Hello." }),
        {
          ...{ id: "", object: "", created: 0, model: "" },
          choices: [
            {
              index: 0,
              finish_reason: null,
              content_filter_results,
              content_filter_offsets: { check_offset: 0, start_offset: 0, end_offset: 6 },
            },
          ],
        },
        ...end("stop"),
      ),
    },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "a filter's results come after the finish reason",
    stream: true,
    reply: {
      body:
        promptFilter +
        sse(
          delta({ role: "assistant", content: "Hello." }),
          delta({}, "stop"),
          {
            ...{ id: "", object: "", created: 0, model: "" },
            choices: [{ index: 0, finish_reason: null, content_filter_results, delta: {} }],
          },
          usageChunk(),
          "[DONE]",
        ),
    },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "a filtered completion has no content",
    reply: {
      body: completion({ content: undefined }, "content_filter", smallUsage),
    },
    expected: { finish: "content_filter" },
    usage,
    cost: 600,
  },
];
