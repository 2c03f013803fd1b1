import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";

/**
 * Returns the messages with the text before calls in a message of its own: the package leaves out the
 * text of a message with calls.
 */
export function separatePlans(prompt: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  return prompt.flatMap((message): LanguageModelV4Message[] => {
    if (message.role !== "assistant") return [message];
    const calls = message.content.filter(({ type }) => type === "tool-call");
    const texts = message.content.filter((part) => part.type === "text" && part.text !== "");
    if (calls.length === 0 || texts.length === 0) return [message];
    return [
      { ...message, content: texts },
      { ...message, content: calls },
    ];
  });
}

/** Returns a request's body with each text that precedes a message of calls as its `tool_plan`. */
export function withToolPlans(body: string): string {
  if (!body.includes('"tool_calls"')) return body;
  const request = JSON.parse(body) as JsonObject;
  const messages: JsonObject[] = [];
  for (const message of Array.isArray(request.messages) ? request.messages : []) {
    if (!isJsonObject(message)) continue;
    const last = messages.at(-1);
    const isPlanned =
      message.tool_calls !== undefined && last?.role === "assistant" && !("tool_calls" in last);
    if (isPlanned) messages.splice(-1, 1, { ...message, tool_plan: last.content });
    else messages.push(message);
  }
  return JSON.stringify({ ...request, messages });
}
