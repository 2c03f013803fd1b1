/**
 * The finish reasons of OpenAI's wire for those that other vendors have beside or instead of them, in lower
 * case and with `_` between words.
 */
const finishReasons: ReadonlyMap<string, string> = new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool_calls"],
  ["content_filter", "content_filter"],
  // OpenAI's own for calls of the legacy member `functions`, which no client can send.
  ["function_call", "tool_calls"],
  // Cohere by way of a proxy.
  ["complete", "stop"],
  ["tool_call", "tool_calls"],
  // Together, and Text Generation Inference.
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["stop_sequence", "stop"],
  ["end_turn", "stop"],
  // DeepSeek, where its servers are full; Zhipu; Mistral; Anthropic by way of a proxy.
  ["insufficient_system_resource", "length"],
  ["model_context_window_exceeded", "length"],
  ["model_length", "length"],
  ["max_tokens", "length"],
  ["max_output_tokens", "length"],
  ["tool_use", "tool_calls"],
  // Zhipu, and Gemini by way of a proxy.
  ["sensitive", "content_filter"],
  ["content_filtered", "content_filter"],
  ["safety", "content_filter"],
  ["recitation", "content_filter"],
  ["prohibited_content", "content_filter"],
  ["blocklist", "content_filter"],
  ["spii", "content_filter"],
  // Zhipu, where the model failed.
  ["network_error", "error"],
]);

/**
 * Returns the finish reason of a choice as OpenAI names it; undefined for none, which may be an empty text,
 * or the text `null`. One that is not known is returned as it is.
 */
export function openaiFinishReason(reason: unknown): string | undefined {
  if (typeof reason !== "string" || reason === "" || reason === "null") return undefined;
  const found = finishReasons.get(reason);
  return found ?? finishReasons.get(reason.toLowerCase().replaceAll("-", "_")) ?? reason;
}
