import { codePoints } from "@tollgate/core/code-points";
import { isJsonObject } from "@tollgate/core/json";

/** Counts the characters of generated text in a message or a stream's delta. */
export function contentCharacters(message: unknown): number {
  if (!isJsonObject(message)) return 0;
  const texts = [message.content, message.reasoning_content, message.reasoning, message.refusal];
  let characters = 0;
  for (const text of texts) if (typeof text === "string") characters += codePoints(text);
  if (!Array.isArray(message.tool_calls)) return characters;
  for (const toolCall of message.tool_calls) {
    const functionCall =
      isJsonObject(toolCall) && isJsonObject(toolCall.function) ? toolCall.function : {};
    for (const text of [functionCall.name, functionCall.arguments]) {
      if (typeof text === "string") characters += codePoints(text);
    }
  }
  return characters;
}
