import type { ChatInput } from "@tollgate/catalog/chat-inputs";
import type { ChatMember } from "@tollgate/catalog/chat-members";

/** The members of a chat request that Gemini's API can be sent. */
export const chatParameters: ReadonlySet<ChatMember> = new Set<ChatMember>([
  "max_completion_tokens",
  "max_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop",
  "seed",
  "tools",
  "tool_choice",
  "response_format",
  "reasoning_effort",
]);

/** What the messages to Gemini's API may have besides text and images. */
export const chatInputs: ReadonlySet<ChatInput> = new Set<ChatInput>(["pdf", "audio"]);

/** Whether messages of the system may follow others. */
export const takesLateInstructions = false;
