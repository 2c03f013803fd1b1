const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "refusal",
};

/** Returns the stop reason of Anthropic's API for the finish reason of a chat completion. */
export function stopReasonOf(finishReason: unknown): string {
  return (typeof finishReason === "string" ? stopReasons[finishReason] : undefined) ?? "end_turn";
}
