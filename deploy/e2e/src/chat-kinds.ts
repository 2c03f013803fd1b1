/** What the table of `chat-kinds.test.ts` needs to know of a kind of provider that serves chat. */
export interface ChatKind {
  readonly kind: string;
  /** The name of the provider in the test catalog. */
  readonly provider: string;
  readonly model: string;
  /** The simulator's commands for 100 uncached, 600 cached and 40 output tokens. */
  readonly cached: string;
  /** The command with which a content filter ends the response. */
  readonly filter?: string;
  /** The vendor's words for a prompt that is too long. */
  readonly tooLong: string;
  /** The members by which the output limit is reached in the request that the provider is sent. */
  readonly limit: readonly string[];
  /** A request that makes the model think. */
  readonly thinking?: object;
  /** The param of an image's address that is refused. */
  readonly refusedAddress?: string;
  /** What its messages may have besides text and images. None by default. */
  readonly inputs?: readonly ("pdf" | "audio")[];
  /** A request that is refused, and the param that names why. */
  readonly refused?: readonly [param: string, more: object];
  /** Parameters that the model's entry lists, and some that it does not. */
  readonly supported: readonly string[];
  readonly unsupported: readonly string[];
  /** Why a column of the table does not apply. */
  readonly absent?: Readonly<Record<string, string>>;
}

const openaiUsage = {
  prompt_tokens: 700,
  completion_tokens: 40,
  total_tokens: 740,
  prompt_tokens_details: { cached_tokens: 600 },
};
const openaiCached = `?usage_block=${encodeURIComponent(JSON.stringify(openaiUsage))}`;
/** In the prompt, as OpenAI, Google, Mistral and Cohere count. */
const cachedWithin = "?usage=700,40&cached=600,0,0";
/** Beside the input, as Anthropic counts. */
const cachedBeside = "?usage=100,40&cached=600,0,0";

const aTool = { type: "function", function: { name: "f" } };

const openaiAbsent = {
  "returns thinking": "chat completions of OpenAI have no thinking",
  "refuses a member by name": "OpenAI's own members are all sent on",
};

/** A row for each kind that serves chat. */
export const chatKinds: readonly ChatKind[] = [
  {
    kind: "openai",
    inputs: ["pdf", "audio"],
    provider: "openai",
    tooLong: "This model's maximum context length is 8192 tokens.",
    model: "gpt-5.4",
    cached: openaiCached,
    filter: "?blocked",
    limit: ["max_tokens"],
    supported: ["seed", "tools", "logit_bias"],
    unsupported: [],
    absent: openaiAbsent,
  },
  {
    kind: "azure",
    inputs: ["pdf", "audio"],
    provider: "azure",
    tooLong: "This model's maximum context length is 8192 tokens.",
    model: "gpt",
    cached: openaiCached,
    filter: "?blocked",
    limit: ["max_tokens"],
    supported: ["seed", "tools"],
    unsupported: [],
    absent: openaiAbsent,
  },
  {
    kind: "xai",
    provider: "xai",
    tooLong: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    model: "grok-4-fast-non-reasoning",
    cached: openaiCached,
    filter: "?blocked",
    limit: ["max_tokens"],
    refused: ["logit_bias", { logit_bias: { 5: 1 } }],
    supported: ["logprobs", "tools"],
    unsupported: ["logit_bias"],
    absent: { "returns thinking": "the simulator's models of xAI keep their thinking" },
  },
  {
    kind: "anthropic",
    inputs: ["pdf"],
    provider: "claude",
    tooLong: "prompt is too long: 213462 tokens > 200000 maximum",
    model: "claude-sonnet-4-5",
    cached: cachedBeside,
    filter: "?refusal",
    limit: ["max_tokens"],
    thinking: { reasoning_effort: "low", max_tokens: 4_000 },
    refused: ["seed", { seed: 1 }],
    supported: ["reasoning_effort", "tools"],
    unsupported: ["seed"],
  },
  {
    kind: "google",
    inputs: ["pdf", "audio"],
    provider: "google",
    tooLong:
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    model: "gemini-2.5-flash",
    cached: cachedWithin,
    filter: "?refusal",
    limit: ["generationConfig", "maxOutputTokens"],
    thinking: { reasoning_effort: "low" },
    refused: ["min_p", { min_p: 0.5 }],
    supported: ["seed", "reasoning_effort"],
    unsupported: ["parallel_tool_calls"],
  },
  {
    kind: "vertex",
    inputs: ["pdf", "audio"],
    provider: "vertex",
    tooLong:
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    model: "gemini-2.5-flash",
    cached: cachedWithin,
    filter: "?refusal",
    limit: ["generationConfig", "maxOutputTokens"],
    thinking: { reasoning_effort: "low" },
    refused: ["parallel_tool_calls", { parallel_tool_calls: false, tools: [aTool] }],
    supported: ["seed", "reasoning_effort"],
    unsupported: ["min_p"],
  },
  {
    kind: "bedrock",
    inputs: ["pdf"],
    provider: "bedrock",
    tooLong: "Input Tokens Exceeded: Number of input tokens exceeds maximum length",
    model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    cached: cachedBeside,
    filter: "?refusal",
    limit: ["inferenceConfig", "maxTokens"],
    thinking: { reasoning_effort: "low", max_tokens: 4_000 },
    refusedAddress: "messages[0].content[1].image_url.url",
    refused: ["seed", { seed: 1 }],
    supported: ["tools"],
    unsupported: ["seed"],
  },
  {
    kind: "mistral",
    inputs: ["pdf"],
    provider: "mistral",
    tooLong: "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    model: "mistral-large-4",
    cached: cachedWithin,
    limit: ["max_tokens"],
    thinking: { reasoning_effort: "low" },
    refused: ["top_k", { top_k: 5 }],
    supported: ["seed", "parallel_tool_calls"],
    unsupported: ["top_k"],
    absent: { "reports a content filter": "Mistral has no such finish reason" },
  },
  {
    kind: "cohere",
    provider: "cohere",
    tooLong: "too many tokens: total number of tokens in the prompt cannot exceed 4081",
    model: "command-a-reasoning-08-2025",
    cached: cachedWithin,
    limit: ["max_tokens"],
    thinking: { reasoning_effort: "medium", max_tokens: 4_000 },
    refused: ["user", { user: "u" }],
    supported: ["tools", "seed"],
    unsupported: ["parallel_tool_calls"],
    absent: {
      "bills the dimensions that the provider reports": "Cohere bills plain input only",
      "reports a content filter": "Cohere has no such finish reason",
      "says the same where a stream begins with the error": "an error of Cohere ends a stream",
    },
  },
];

/** The ways in which the slot of a kind behaves in the test catalog, by the end of its alias. */
export type ChatVariant = keyof ReturnType<typeof commandsOf>;

/** Returns the simulator's commands of each alias of a kind. */
export function commandsOf({ cached, filter = "", tooLong }: ChatKind) {
  const message = `message=${encodeURIComponent(tooLong)}`;
  return {
    "": "",
    "-parallel": "?calls=3",
    "-cached": cached,
    "-filtered": filter,
    "-cut": "?tokens=40&cut_after=4",
    "-ended": "?tokens=40&end_after=4",
    "-slow": "?chunks=200&gap_ms=50",
    "-limited": "?status=429",
    "-down": "?status=503",
    "-cut-first": "?cut_after=0",
    "-invalid": "?status=400&message=that%20is%20no%20good",
    "-too-long": `?status=400&${message}`,
    "-too-long-event": `?error_event=0&${message}`,
  };
}

/** The variants that have a second slot, of another kind and at another price. */
export const withSecond: readonly string[] = ["-limited", "-down", "-cut-first", "-invalid"];
