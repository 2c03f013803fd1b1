import { type ChatMessage, countParts, textOf } from "./request.ts";

/** One token is this many UTF-16 code units; the last one is rounded up. */
export const CHARACTERS_PER_TOKEN = 4;

const TOKENS_PER_IMAGE = 85;

export function tokensOfCharacters(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Counts the tokens of all text and images of a conversation, at least 1. */
export function countPromptTokens(messages: readonly ChatMessage[]): number {
  let characters = 0;
  for (const message of messages) characters += textOf(message).length;
  return Math.max(
    1,
    tokensOfCharacters(characters) + TOKENS_PER_IMAGE * countParts(messages, "image"),
  );
}

/** Returns at most the first `tokens` tokens of the text, without splitting a character. */
export function firstTokens(text: string, tokens: number): string {
  const cutAt = tokens * CHARACTERS_PER_TOKEN;
  if (text.length <= cutAt) return text;
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(cutAt - 1));
  return text.slice(0, splitsPair ? cutAt - 1 : cutAt);
}
