import { describe, expect, test } from "vitest";
import { type KindName, readRefusalOf } from "../test/read-refusal.ts";
import { vendors } from "./index.ts";

const openai = (message: string, code: unknown = null, type = "invalid_request_error") => ({
  error: { message, type, param: null, code },
});
const anthropic = (message: string, type = "invalid_request_error") => ({
  type: "error",
  error: { type, message },
});
const google = (message: string, code = 400, status = "INVALID_ARGUMENT") => ({
  error: { code, message, status },
});
const openrouter = (raw: string) => ({
  error: { message: "Provider returned error", code: 400, metadata: { raw, provider_name: "X" } },
});
const vllm = (message: string) => ({
  object: "error",
  message,
  type: "BadRequestError",
  param: null,
  code: 400,
});

/** A refusal as its vendor writes it: of a provider of which kind, by which status. */
type Row = readonly [vendor: string, kind: KindName, status: number, body: unknown];

const tooLong: readonly Row[] = [
  [
    "OpenAI",
    "openai",
    400,
    openai(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9100 tokens. Please reduce the length of the messages.",
      "context_length_exceeded",
    ),
  ],
  ["OpenAI, by its code alone", "openai", 400, openai("No.", "context_length_exceeded")],
  [
    "OpenAI, Responses",
    "openai",
    400,
    openai(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
    ),
  ],
  [
    "OpenAI, GPT-5",
    "openai",
    400,
    openai(
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300012 tokens. Please reduce the length of the messages.",
    ),
  ],
  [
    "OpenAI, a string",
    "openai",
    400,
    openai(
      "Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 11000000 instead.",
      "string_above_max_length",
    ),
  ],
  [
    "OpenAI, a string of Responses",
    "openai",
    400,
    openai(
      "Invalid 'input[3].output': string too long. Expected a string with maximum length 10485760, but got a string with length 11000000 instead.",
      "string_above_max_length",
    ),
  ],
  [
    "Azure",
    "azure",
    400,
    openai(
      "This model's maximum context length is 4097 tokens, however you requested 4300 tokens (300 in your prompt; 4000 for the completion). Please reduce your prompt; or completion length.",
    ),
  ],
  ["Anthropic", "anthropic", 400, anthropic("prompt is too long: 213462 tokens > 200000 maximum")],
  [
    "Anthropic, with its output",
    "anthropic",
    400,
    anthropic(
      "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
    ),
  ],
  [
    "Anthropic, a window",
    "anthropic",
    400,
    anthropic("The request would exceed the model's context window of 200000 tokens."),
  ],
  [
    "Anthropic, bytes",
    "anthropic",
    413,
    anthropic("Request exceeds the maximum size", "request_too_large"),
  ],
  [
    "Gemini",
    "google",
    400,
    google(
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    ),
  ],
  [
    "Gemini, without the count",
    "google",
    400,
    google("The input token count exceeds the maximum number of tokens allowed (1048576)."),
  ],
  [
    "Vertex",
    "google",
    400,
    google(
      "Unable to submit request because the input token count is 40000 but model only supports up to 32767. Reduce the input token count and try again.",
    ),
  ],
  [
    "Gemini, in OpenAI's form",
    "openai",
    400,
    [
      google(
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
      ),
    ],
  ],
  [
    "Bedrock, Claude",
    "bedrock",
    400,
    { message: "The model returned the following errors: Input is too long for requested model." },
  ],
  [
    "Bedrock, Claude, another region",
    "bedrock",
    400,
    {
      message:
        "The model returned the following errors: prompt is too long: 227255 tokens > 200000 maximum",
    },
  ],
  [
    "Bedrock, Nova",
    "bedrock",
    400,
    { message: "Input Tokens Exceeded: Number of input tokens exceeds maximum length" },
  ],
  [
    "Bedrock, Llama",
    "bedrock",
    400,
    {
      message:
        "This model's maximum context length is 8192 tokens. Please reduce the length of the prompt",
    },
  ],
  [
    "Bedrock, Mistral",
    "bedrock",
    400,
    {
      message:
        "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    },
  ],
  [
    "Bedrock, Titan",
    "bedrock",
    400,
    {
      message:
        "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 11222",
    },
  ],
  [
    "Bedrock, a model's failure",
    "bedrock",
    424,
    { message: "Input is too long for requested model." },
  ],
  [
    "Mistral",
    "mistral",
    400,
    {
      object: "error",
      message:
        "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_prompt",
      param: null,
      code: "3051",
    },
  ],
  [
    "Cohere",
    "cohere",
    400,
    {
      message:
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt.",
    },
  ],
  [
    "xAI",
    "xai",
    400,
    {
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
  ],
  [
    "Groq",
    "openai",
    400,
    openai("Please reduce the length of the messages or completion.", "context_length_exceeded"),
  ],
  [
    "Cerebras",
    "openai",
    400,
    openai(
      "Please reduce the length of the messages or completion. Current length is 9254 while limit is 8192",
      "context_length_exceeded",
    ),
  ],
  [
    "Together",
    "openai",
    422,
    openai(
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`",
    ),
  ],
  [
    "Together and SGLang",
    "openai",
    400,
    vllm("The input (210000 tokens) is longer than the model's context length (131072 tokens)."),
  ],
  [
    "SGLang",
    "openai",
    400,
    vllm(
      "Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 140000 tokens.",
    ),
  ],
  [
    "Text Generation Inference",
    "openai",
    422,
    {
      error: "Input validation error: `inputs` must have less than 4096 tokens. Given: 4545",
      error_type: "validation",
    },
  ],
  [
    "DeepSeek",
    "openai",
    400,
    openai(
      "This model's maximum context length is 65536 tokens. However, you requested 69648 tokens (69648 in the messages, 0 in the completion). Please reduce the length of the messages or completion.",
      "invalid_request_error",
    ),
  ],
  [
    "OpenRouter",
    "openai",
    400,
    {
      error: {
        message:
          "This endpoint's maximum context length is 200000 tokens. However, you requested about 264437 tokens (262437 of text input, 2000 in the output).",
        code: 400,
        metadata: { provider_name: null },
      },
    },
  ],
  [
    "OpenRouter, what a provider says",
    "openai",
    400,
    openrouter(
      '{"message":"input length and `max_tokens` exceed context limit: 149674 + 64000 > 204658"}',
    ),
  ],
  [
    "OpenRouter, a provider's text",
    "openai",
    400,
    openrouter("prompt is too long: 213462 tokens > 200000 maximum"),
  ],
  [
    "vLLM",
    "openai",
    400,
    vllm(
      "This model's maximum context length is 4096 tokens. However, you requested 4500 tokens in the messages, Please reduce the length of the messages.",
    ),
  ],
  [
    "vLLM, of a prompt",
    "openai",
    400,
    vllm(
      "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.",
    ),
  ],
  [
    "vLLM, no room for the output",
    "openai",
    400,
    vllm(
      "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 32768 tokens and your request has 32000 input tokens (2000 > 32768 - 32000).",
    ),
  ],
  [
    "llama.cpp",
    "openai",
    400,
    {
      error: {
        code: 400,
        message:
          "the request exceeds the available context size. try increasing the context size or enable context shift",
        type: "exceed_context_size_error",
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
  ],
  [
    "llama.cpp, while it generates",
    "openai",
    500,
    { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
  ],
  [
    "LM Studio",
    "openai",
    400,
    {
      error:
        "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5000>= n_ctx: 4096).",
    },
  ],
  [
    "Ollama",
    "openai",
    400,
    openai("prompt too long; exceeded max context length by 512 tokens", null, "api_error"),
  ],
  [
    "Fireworks",
    "openai",
    400,
    {
      error: {
        object: "error",
        type: "invalid_request_error",
        message: "The prompt is too long: 132001, model maximum context length: 131071",
      },
    },
  ],
  [
    "Moonshot",
    "openai",
    400,
    openai("Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)"),
  ],
  [
    "Qwen",
    "openai",
    400,
    openai(
      "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
      "invalid_parameter_error",
    ),
  ],
  [
    "Databricks",
    "openai",
    400,
    {
      error_code: "BAD_REQUEST",
      message:
        "Bad request: rpc error: code = InvalidArgument desc = prompt token count (140000) cannot exceed 128000. Please reduce the length of input prompt.",
    },
  ],
  [
    "Cloudflare",
    "openai",
    413,
    {
      errors: [
        {
          message:
            "AiError: The estimated number of input and maximum output tokens (20000) exceeded this model context window limit (16384).",
          code: 5021,
        },
      ],
      success: false,
    },
  ],
  [
    "watsonx",
    "openai",
    400,
    {
      errors: [
        {
          code: "invalid_input_argument",
          message:
            "Invalid input argument for Model 'granite': the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model",
        },
      ],
    },
  ],
  ["Perplexity", "openai", 400, openai("The input prompt is too long: 140000 > 127072 tokens")],
  ["MiniMax", "openai", 400, openai("invalid params, context window exceeds limit (2013)")],
  ["Zhipu", "openai", 400, { error: { code: "1261", message: "Prompt exceeds max length" } }],
  [
    "GitHub Copilot",
    "openai",
    400,
    openai("prompt token count of 130000 exceeds the limit of 128000"),
  ],
  [
    "GitHub Models",
    "openai",
    413,
    {
      error: {
        code: "tokens_limit_reached",
        message: "Request body too large for gpt-4o model. Max size: 8000 tokens.",
      },
    },
  ],
  [
    "SambaNova",
    "openai",
    400,
    openai(
      "Requested generation length 1 is not possible! The provided prompt is 5000 tokens long, but the maximum supported sequence length is just 4096!",
    ),
  ],
];

const named = (rows: readonly Row[]) =>
  rows.map((row) => [`${row[0]}: ${JSON.stringify(row[3]).slice(0, 150)}`, row] as const);

describe("a prompt is too long", () => {
  test.each(named(tooLong))("in the words of %s", async (_, [, kind, status, body]) => {
    const failure = await readRefusalOf(kind, status, body);
    expect(failure).toMatchObject({ isTooLong: true, meaning: "too_large", passesOn: true });
    expect(failure.hint).not.toBe("");
  });

  test("for every kind, whose provider may pass on another vendor's words", async () => {
    for (const [vendor, , status, body] of tooLong) {
      const { message } = (body as { error?: { message?: string } }).error ?? {};
      if (message === undefined || vendor.startsWith("OpenRouter")) continue;
      for (const kind of Object.keys(vendors) as KindName[]) {
        const { isTooLong } = await readRefusalOf(kind, status, { error: { message } });
        expect([vendor, kind, isTooLong]).toEqual([vendor, kind, message !== "No."]);
      }
    }
  });
});

const others: readonly Row[] = [
  [
    "Groq's limit of a minute",
    "openai",
    413,
    openai(
      "Request too large for model `llama-3.3-70b` in organization `org` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size and try again.",
      "rate_limit_exceeded",
      "tokens",
    ),
  ],
  [
    "OpenAI's limit of a minute",
    "openai",
    429,
    openai(
      "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 32000. The input or output tokens must be reduced in order to run successfully.",
      "rate_limit_exceeded",
      "tokens",
    ),
  ],
  [
    "Bedrock's limit of rate",
    "bedrock",
    429,
    { message: "Too many tokens, please wait before trying again." },
  ],
  [
    "an output limit of OpenAI",
    "openai",
    400,
    openai("max_tokens is too large: 200000. This model supports at most 16384 completion tokens."),
  ],
  [
    "an output limit of Anthropic",
    "anthropic",
    400,
    anthropic(
      "max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet",
    ),
  ],
  [
    "an output limit of Bedrock",
    "bedrock",
    400,
    { message: "The maximum tokens you requested exceeds the model limit of 2048." },
  ],
  [
    "an output limit of vLLM",
    "openai",
    400,
    vllm(
      "'max_tokens' or 'max_completion_tokens' is too large: 40000. This model's maximum context length is 32768 tokens and your request has 13 input tokens (40000 > 32768 - 13).",
    ),
  ],
  [
    "an output limit of Qwen",
    "openai",
    400,
    openai("<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]"),
  ],
  [
    "an output limit of Databricks",
    "openai",
    400,
    {
      error_code: "BAD_REQUEST",
      message:
        "max_tokens (10000) cannot exceed 8192. Please reduce the length of max output tokens generated.",
    },
  ],
  [
    "an image",
    "anthropic",
    400,
    anthropic(
      "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes",
    ),
  ],
  [
    "another string of OpenAI",
    "openai",
    400,
    openai(
      "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 141 instead.",
      "string_above_max_length",
    ),
  ],
  [
    "an id of OpenAI",
    "openai",
    400,
    openai(
      "Invalid 'input[2].call_id': string too long. Expected a string with maximum length 64, but got a string with length 80 instead.",
      "string_above_max_length",
    ),
  ],
  ["a wrong key", "openai", 401, openai("The prompt is too long", "invalid_api_key")],
  ["credits", "openai", 402, openai("prompt is too long for your credits")],
  ["an invalid value", "google", 400, google("Invalid value at 'contents'")],
];

test.each(named(others))("what is no matter of the prompt's length: %s", async (_, [
  ,
  kind,
  status,
  body,
]) => {
  expect(await readRefusalOf(kind, status, body)).toMatchObject({ isTooLong: false });
});
