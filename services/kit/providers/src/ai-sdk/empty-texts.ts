import type { LanguageModelV4Message } from "@ai-sdk/provider";

/**
 * Returns a message without blank texts of the user, which some providers refuse. A message without other
 * parts gets the text `(empty)`: without the message, two turns of the model would follow one another.
 */
export function withoutEmptyTexts(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== "user") return message;
  const content = message.content.filter((part) => part.type !== "text" || part.text.trim() !== "");
  if (content.length === 0) content.push({ type: "text", text: "(empty)" });
  return { ...message, content };
}
