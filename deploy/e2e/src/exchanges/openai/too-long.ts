import { delta } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { sse } from "../sse.ts";

const expected = { status: 400, error: "context_length_exceeded" };
const maximum = "This model's maximum context length is 4096 tokens.";

/** Where servers of OpenAI's wire say that a prompt is too long, besides a 400 of OpenAI's form. */
export const openaiTooLong: readonly Exchange[] = [
  {
    name: "a prompt that is too long, by a 500 of llama.cpp",
    reply: {
      status: 500,
      body: {
        error: { code: 500, message: "Context size has been exceeded.", type: "server_error" },
      },
    },
    expected,
  },
  {
    name: "a prompt that is too long, within a 200 of vLLM",
    reply: { body: { object: "error", message: maximum, type: "BadRequestError", code: 400 } },
    expected,
  },
  {
    name: "a prompt that is too long, in vLLM's first event",
    stream: true,
    reply: { body: sse({ object: "error", message: maximum, type: "BadRequestError", code: 400 }) },
    expected,
  },
  {
    name: "a prompt that is too long, in a first event without a code",
    stream: true,
    reply: {
      body: sse({ error: { message: "The request exceeds the available context size." } }),
    },
    expected,
  },
  {
    name: "a prompt that is too long, as OpenRouter passes it on",
    stream: true,
    reply: {
      status: 400,
      body: {
        error: {
          message: "Provider returned error",
          code: 400,
          metadata: {
            raw: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}',
            provider_name: "Anthropic",
          },
        },
      },
    },
    expected,
  },
  {
    name: "a prompt that is too long, in the list of Gemini's API for OpenAI's clients",
    reply: {
      status: 400,
      body: [
        {
          error: {
            code: 400,
            message:
              "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
            status: "INVALID_ARGUMENT",
          },
        },
      ],
    },
    expected,
  },
  {
    name: "a context that the answer fills, in the middle of a stream",
    stream: true,
    reply: {
      body: sse(delta({ role: "assistant", content: "Hel" }), {
        error: { code: 500, message: "Context size has been exceeded.", type: "server_error" },
      }),
    },
    expected: { error: "context_length_exceeded" },
  },
];
