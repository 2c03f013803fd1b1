/** The finish reasons of OpenAI's wire for those that other vendors have beside or instead of them. */
const finishReasons: ReadonlyMap<string, string> = new Map([
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
  ["tool_use", "tool_calls"],
  // Zhipu, and Gemini by way of a proxy.
  ["sensitive", "content_filter"],
  ["content_filtered", "content_filter"],
  ["safety", "content_filter"],
  // Zhipu, where the model failed.
  ["network_error", "error"],
]);

/** Returns the finish reason of a choice as OpenAI names it; undefined for none, which may be an empty text. */
export function openaiFinishReason(reason: unknown): string | undefined {
  if (typeof reason !== "string" || reason === "") return undefined;
  return finishReasons.get(reason) ?? reason;
}
