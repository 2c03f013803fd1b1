/** A conversation's id means something only together with the key that began it. */
export interface ConversationKey {
  keyId: string;
  /** Lower case. */
  id: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Undefined for what is no UUID. */
export function conversationKey(keyId: string, sessionId: string): ConversationKey | undefined {
  const id = sessionId.toLowerCase();
  return uuid.test(id) ? { keyId, id } : undefined;
}

/** What the ledger knows a conversation by. */
export function linkOf({ keyId, id }: ConversationKey): string {
  return `${keyId}/${id}`;
}
