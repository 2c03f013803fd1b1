import type { JsonObject } from "@tollgate/core/json";
import { addMessageText } from "@tollgate/core/text-size";
import type { PromptSize } from "@tollgate/proto/tollgate/v1/chat";
import { approximateTokens } from "../usage/usage.ts";

/** The sizes of all turns of a conversation together. */
export interface Sizes extends PromptSizes {
  contextTokens: bigint;
}

/** The sizes of a prompt by which its hold is estimated and its usage approximated. */
export interface PromptSizes {
  textBytes: bigint;
  textCharacters: bigint;
  messages: number;
  imageParts: number;
}

/** Returns the sizes of a complete prompt: the stored turns and the new request. */
export function withPrompt(stored: PromptSizes, prompt: PromptSize | undefined): PromptSizes {
  return {
    textBytes: stored.textBytes + (prompt?.textBytes ?? 0n),
    textCharacters: stored.textCharacters + (prompt?.textCharacters ?? 0n),
    messages: stored.messages + (prompt?.messages ?? 0),
    imageParts: stored.imageParts + (prompt?.imageParts ?? 0),
  };
}

/**
 * Returns the sizes of a conversation with one more turn: its messages and the response, each as a
 * client would send it. The request's tools and response format are not stored, so they count only
 * for the requests that carry them, not for later ones.
 */
export function storedSizes(
  stored: PromptSizes,
  prompt: PromptSize | undefined,
  response: JsonObject,
  totalTokens: bigint,
): Sizes {
  const responseText = { bytes: 0, characters: 0 };
  addMessageText(response, responseText);
  const complete = withPrompt(stored, prompt);
  const unstoredCharacters = prompt?.unstoredTextCharacters ?? 0n;
  const unstoredTokens = approximateTokens(unstoredCharacters);
  return {
    textBytes: complete.textBytes - (prompt?.unstoredTextBytes ?? 0n) + BigInt(responseText.bytes),
    textCharacters: complete.textCharacters - unstoredCharacters + BigInt(responseText.characters),
    messages: complete.messages + 1,
    imageParts: complete.imageParts,
    // The provider reports one token count for everything that it read.
    contextTokens: totalTokens > unstoredTokens ? totalTokens - unstoredTokens : 0n,
  };
}
