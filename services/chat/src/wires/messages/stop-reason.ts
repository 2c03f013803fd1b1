const stopReasons: ReadonlyMap<unknown, string> = new Map([
  ["stop", "end_turn"],
  ["length", "max_tokens"],
  ["tool_calls", "tool_use"],
  ["function_call", "tool_use"],
  ["content_filter", "refusal"],
]);

/** Returns the stop reason of Anthropic's API for the finish reason of a chat completion. */
export function stopReasonOf(finishReason: unknown): string {
  return stopReasons.get(finishReason) ?? "end_turn";
}
