const stopReasons: ReadonlyMap<unknown, string> = new Map([
  ["stop", "end_turn"],
  ["length", "max_tokens"],
  ["tool_calls", "tool_use"],
  ["function_call", "tool_use"],
  ["content_filter", "refusal"],
]);

/**
 * Returns the stop reason of Anthropic's API for the finish reason of a chat completion. Clients call the
 * tools for `tool_use` alone, and providers may finish a message with calls as any other.
 */
export function stopReasonOf(finishReason: unknown, hasCalls: boolean): string {
  const reason = stopReasons.get(finishReason) ?? "end_turn";
  if (reason !== "end_turn" && reason !== "tool_use") return reason;
  return hasCalls ? "tool_use" : "end_turn";
}
