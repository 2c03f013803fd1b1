import { createHash } from "node:crypto";
import type { LanguageModelV4Message } from "@ai-sdk/provider";

/** Returns messages with the ids of their calls, and of the results of these, as `idOf` returns them. */
export function withCallIds(
  prompt: readonly LanguageModelV4Message[],
  idOf: (id: string) => string,
): LanguageModelV4Message[] {
  return prompt.map((message) => {
    if (message.role === "assistant") {
      return { ...message, content: message.content.map((part) => withId(part, idOf)) };
    }
    if (message.role !== "tool") return message;
    return { ...message, content: message.content.map((part) => withId(part, idOf)) };
  });
}

/** Returns characters of the hash of another provider's id: the same in a call and in its result. */
export function hashOfId(id: string, characters: number): string {
  return createHash("sha256").update(id).digest("hex").slice(0, characters);
}

function withId<Part extends object>(part: Part, idOf: (id: string) => string): Part {
  if (!("toolCallId" in part)) return part;
  return { ...part, toolCallId: idOf(String(part.toolCallId)) };
}
