/**
 * How vendors say that a prompt is too long, by the vendor whose words they are. A provider may pass on
 * those of another vendor, as a proxy does and a cloud that serves models of many, so every kind knows
 * them all.
 */
const words: Readonly<Record<string, readonly RegExp[]>> = {
  // Also Azure, DeepSeek, Cerebras, Groq, OpenRouter, vLLM, SGLang, and Llama and Mistral on Bedrock.
  openai: [
    /maximum context length/i,
    /input tokens exceed the configured limit/i,
    /reduce the length of (the |your )?(messages|input|prompt)/i,
    // Other strings that are too long, such as a name or an id, are no part of the prompt.
    /^Invalid '(messages|input|instructions)(\[\d+\])?': (string|array) too long/i,
    /^Invalid '(messages|input)[^']*\.(content|text|output|arguments)(\[\d+\])?': (string|array) too long/i,
  ],
  anthropic: [
    /input length and `?max_tokens`? exceed context limit/i,
    /^Request exceeds the maximum size/i,
  ],
  azure: [/reduce your prompt; or completion length/i],
  bedrock: [
    /^Input Tokens Exceeded/i,
    /number of input tokens exceeds/i,
    /too many input tokens/i,
    /#\/(inputText|prompt|messages)\b[^:]*: expected maxLength/i,
  ],
  cerebras: [/current length is [\d,]+ while limit is [\d,]+/i],
  cloudflare: [/exceeded this model context window limit/i],
  cohere: [/\btoo many tokens\b(?!, please wait)/i],
  databricks: [/(prompt|input) token count \([\d,]+\) cannot exceed/i],
  google: [
    /input token count\b.*\bexceeds/i,
    /input token count is [\d,]+ but (the )?model only supports/i,
    /^Request payload size exceeds the limit/i,
  ],
  github: [
    /prompt token count of [\d,]+ exceeds the limit/i,
    /^Request body too large for .* Max size: [\d,]+ tokens/i,
  ],
  litellm: [/ContextWindowExceededError/],
  llamaCpp: [/context size has been exceeded/i, /larger than the max context size/i],
  lmStudio: [
    /greater than the context length/i,
    /reached context length of [\d,]+ tokens/i,
    /not enough for this many tokens|when context the overflows/i,
  ],
  minimax: [/context window exceeds limit/i],
  mistral: [/too large for model with [\d,]+ maximum context length/i],
  moonshot: [/exceeded model token limit/i, /^Input token length too long/i],
  ollama: [/prompt too long; exceeded/i],
  openrouter: [/exceeds (the )?maximum allowed input length/i],
  qwen: [/range of input length should be/i],
  sambanova: [/maximum supported sequence length/i],
  sglang: [/input length \(?[\d,]+( tokens)?\)? exceeds the maximum/i],
  tgi: [
    /`inputs` tokens \+ `max_new_tokens` must be/i,
    /`inputs` must have less than [\d,]+ tokens/i,
  ],
  together: [/longer than the model'?s context length/i],
  vllm: [
    /too long to fit into the model/i,
    /longer than the maximum model length/i,
    /^Input prompt \(.*\) is too long/i,
  ],
  volcengine: [/exceeds? max message tokens/i],
  watsonx: [/number of input tokens [\d,]+ cannot exceed/i],
  xai: [/maximum prompt length is/i],
  zhipu: [/prompt exceeds (the )?max(imum)? length/i],
  // Of several vendors.
  usual: [
    /\b(prompt|input) (is |are )?too (long|large) (for (the |this |requested )?model|to fit)/i,
    /\b(prompt|input) is too long/i,
    /\bcontext[ _](length|window|size|limit)[ _](was |has been |is )?exceeded/i,
    /\bexceed(s|ed|ing)? (the |this |its |your )?(model'?s? |endpoint'?s? )?(maximum |max |available |configured )?(input |prompt )?(context|prompt)[ _](length|window|size|limit)/i,
    /\b(prompt|input) has [\d,]+ tokens?, but the configured context size is/i,
  ],
};

const patterns = Object.values(words).flat();

/** The codes and types of errors by which vendors say the same. */
const codes: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "context_window_exceeded",
  "model_context_window_exceeded",
  // llama.cpp.
  "exceed_context_size_error",
  // Anthropic's 413.
  "request_too_large",
  // GitHub Models.
  "tokens_limit_reached",
  // Mistral.
  "3051",
]);

/** Limits of rate, which have such words, too. */
const limits = /\btokens per (min|minute|day)\b|\b(TPM|TPD)\b|rate.?limit|please wait|throttl/i;

/** Returns whether the message of a refusal says, in the words of any vendor, that the prompt is too long. */
export function saysTooLong(message: string): boolean {
  if (limits.test(message) || isOfOutputLimit(message)) return false;
  return patterns.some((pattern) => pattern.test(message));
}

/** Returns whether the code or the type of an error says so. */
export function isCodeOfLength(code: unknown): boolean {
  return (typeof code === "string" || typeof code === "number") && codes.has(String(code));
}

/** vLLM names the context also where the output limit alone is larger, which no shorter prompt mends. */
const outputLimit = /max_\w*tokens\b.*? too large: (\d+)\b.*maximum context length is (\d+)/i;

function isOfOutputLimit(message: string): boolean {
  const [, limit, context] = outputLimit.exec(message) ?? [];
  return limit !== undefined && Number(limit) > Number(context);
}
