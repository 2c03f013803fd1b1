/** Identifies a conversation: an id is unique only under the API key that created it. */
export interface ConversationKey {
  keyId: string;
  /** A UUID in lower case. */
  id: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns a conversation's key, or undefined when the session id is not a UUID. */
export function conversationKey(keyId: string, sessionId: string): ConversationKey | undefined {
  const id = sessionId.toLowerCase();
  return uuid.test(id) ? { keyId, id } : undefined;
}

/** Returns the id that the ledger uses for the conversation. */
export function linkOf({ keyId, id }: ConversationKey): string {
  return `${keyId}/${id}`;
}
