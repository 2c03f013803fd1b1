import type { ChatInput } from "@tollgate/catalog/chat-inputs";
import type { ChatMember } from "@tollgate/catalog/chat-members";

/** The members of a chat request that Mistral's API can be sent. */
export const chatParameters: ReadonlySet<ChatMember> = new Set<ChatMember>([
  "max_completion_tokens",
  "max_tokens",
  "temperature",
  "top_p",
  "frequency_penalty",
  "presence_penalty",
  "stop",
  "seed",
  "parallel_tool_calls",
  "tools",
  "tool_choice",
  "response_format",
  "reasoning_effort",
]);

/** What the messages to Mistral's API may have besides text and images. */
export const chatInputs: ReadonlySet<ChatInput> = new Set<ChatInput>(["pdf"]);

/** Whether messages of the system may follow others. */
export const takesLateInstructions = false;
