import type { ChatInput } from "@tollgate/catalog/chat-inputs";
import type { ChatMember } from "@tollgate/catalog/chat-members";

/** The members of a chat request that Cohere's API, version 2 can be sent. */
export const chatParameters: ReadonlySet<ChatMember> = new Set<ChatMember>([
  "max_completion_tokens",
  "max_tokens",
  "temperature",
  "top_p",
  "top_k",
  "frequency_penalty",
  "presence_penalty",
  "stop",
  "seed",
  "tools",
  "tool_choice",
  "response_format",
  "reasoning_effort",
]);

/** What the messages to Cohere's API may have besides text and images. */
export const chatInputs: ReadonlySet<ChatInput> = new Set<ChatInput>();

/** Whether messages of the system may follow others. */
export const takesLateInstructions = true;
