import { authorizeCall } from "./authorize.ts";
import type { Rule } from "./permissions.ts";
import type { SignedInSessions } from "./sessions.ts";

/** Resolves when whoever makes a request may make a call. Throws a ConnectError for all others. */
export async function requireRule(
  sessions: SignedInSessions,
  rule: Rule,
  headers: Headers,
): Promise<void> {
  authorizeCall(await sessions.require(headers), rule);
}
