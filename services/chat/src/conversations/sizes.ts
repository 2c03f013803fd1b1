import type { JsonObject } from "@tollgate/core/json";
import { addMessageText } from "@tollgate/core/text-size";
import type { PromptSize } from "@tollgate/proto/tollgate/v1/chat";
import { approximateTokens } from "../usage.ts";

/** What a conversation's turns come to together. */
export interface Sizes extends PromptSizes {
  contextTokens: bigint;
}

/** What of a prompt its hold and its meter go by. */
export interface PromptSizes {
  textBytes: bigint;
  textCharacters: bigint;
  messages: number;
  imageParts: number;
}

/** The sizes of a whole prompt: what is stored of its conversation, and the request at hand. */
export function withPrompt(stored: PromptSizes, prompt: PromptSize | undefined): PromptSizes {
  return {
    textBytes: stored.textBytes + (prompt?.textBytes ?? 0n),
    textCharacters: stored.textCharacters + (prompt?.textCharacters ?? 0n),
    messages: stored.messages + (prompt?.messages ?? 0),
    imageParts: stored.imageParts + (prompt?.imageParts ?? 0),
  };
}

/**
 * The sizes of a conversation with one more turn: its messages and the answer, each as a client
 * would send it. The request's tools and response format are not stored, so that they count with
 * the requests that carry them and not with every later one.
 */
export function storedSizes(
  stored: PromptSizes,
  prompt: PromptSize | undefined,
  answer: JsonObject,
  totalTokens: bigint,
): Sizes {
  const said = { bytes: 0, characters: 0 };
  addMessageText(answer, said);
  const asked = withPrompt(stored, prompt);
  const unstoredCharacters = prompt?.unstoredTextCharacters ?? 0n;
  const unstoredTokens = approximateTokens(unstoredCharacters);
  return {
    textBytes: asked.textBytes - (prompt?.unstoredTextBytes ?? 0n) + BigInt(said.bytes),
    textCharacters: asked.textCharacters - unstoredCharacters + BigInt(said.characters),
    messages: asked.messages + 1,
    imageParts: asked.imageParts,
    // The provider told one number for all that it read.
    contextTokens: totalTokens > unstoredTokens ? totalTokens - unstoredTokens : 0n,
  };
}
