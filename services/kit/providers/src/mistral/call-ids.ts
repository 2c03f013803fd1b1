import { createHash } from "node:crypto";
import type { LanguageModelV4Message } from "@ai-sdk/provider";

/** The ids of calls that Mistral accepts. Any other is refused with 400 and the code 3280. */
const mistralId = /^[a-zA-Z0-9]{9}$/;

/**
 * Returns the messages with call ids that Mistral accepts. The id of another provider's call becomes
 * the start of its hash, the same in the call and in its result.
 */
export function withMistralCallIds(
  prompt: readonly LanguageModelV4Message[],
): LanguageModelV4Message[] {
  return prompt.map((message) => {
    if (message.role === "assistant") {
      const content = message.content.map((part) => (hasCallId(part) ? withId(part) : part));
      return { ...message, content };
    }
    if (message.role !== "tool") return message;
    return {
      ...message,
      content: message.content.map((part) => (hasCallId(part) ? withId(part) : part)),
    };
  });
}

function hasCallId<Part extends object>(part: Part): part is Part & { toolCallId: string } {
  return "toolCallId" in part;
}

function withId<Part extends { toolCallId: string }>(part: Part): Part {
  const { toolCallId: id } = part;
  if (mistralId.test(id)) return part;
  const toolCallId = createHash("sha256").update(id).digest("hex").slice(0, 9);
  return { ...part, toolCallId };
}
