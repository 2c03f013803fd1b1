import { type ChatMessage, countImages, textOf } from "./request.ts";

/** A token is this many characters (UTF-16 units), the last one rounded up. */
export const CHARACTERS_PER_TOKEN = 4;

const TOKENS_PER_IMAGE = 85;

export function countTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Tokens of all text and all images of a conversation, at least 1. */
export function countPromptTokens(messages: readonly ChatMessage[]): number {
  let characters = 0;
  for (const message of messages) characters += textOf(message).length;
  return Math.max(1, countTokens(characters) + TOKENS_PER_IMAGE * countImages(messages));
}

/** The start of the text, at most so many tokens, with no character split. */
export function firstTokens(text: string, tokens: number): string {
  const cutAt = tokens * CHARACTERS_PER_TOKEN;
  if (text.length <= cutAt) return text;
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(cutAt - 1));
  return text.slice(0, splitsPair ? cutAt - 1 : cutAt);
}
