import type { ChatMember } from "@tollgate/catalog/chat-members";
import { chatParameters as geminiParameters } from "../google/capabilities.ts";

/** The members of a chat request that some model of Vertex AI can be sent. Its adapter refuses the others. */
export const chatParameters: ReadonlySet<ChatMember> = new Set<ChatMember>([
  ...geminiParameters,
  "parallel_tool_calls",
]);

/** Those that Claude can be sent. */
export const claudeParameters: ReadonlySet<ChatMember> = new Set(
  [...chatParameters].filter((member) => member !== "seed"),
);
