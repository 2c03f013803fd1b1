import { authorizeCall } from "./authorize.ts";
import type { Rule } from "./permissions.ts";
import type { SignedInSessions } from "./sessions.ts";

/**
 * Resolves when the signed-in operator or member of a request has the right that a call needs. Rejects with a
 * ConnectError otherwise.
 */
export async function requireRule(
  sessions: SignedInSessions,
  rule: Rule,
  headers: Headers,
): Promise<void> {
  authorizeCall(await sessions.require(headers), rule);
}
