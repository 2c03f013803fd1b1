import { hash } from "node:crypto";

/** OpenAI accepts no longer identifiers: https://platform.openai.com/docs/api-reference/chat/create */
const maxLength = 64;

/** Returns the id of an end user as a provider is sent it: the SHA-256 of a long one, in hex. */
export function endUserOf(id: unknown): string | undefined {
  if (typeof id !== "string" || id === "") return undefined;
  return id.length <= maxLength ? id : hash("sha256", id);
}
