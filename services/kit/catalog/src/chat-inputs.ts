/** What the messages of a chat model may have besides text, and images where it has `vision`. */
export const chatInputNames = ["pdf", "audio"] as const;

export type ChatInput = (typeof chatInputNames)[number];

/** Returns whether a name is that of an input. */
export function isChatInput(name: string): name is ChatInput {
  return chatInputNames.some((input) => input === name);
}
