import { memberOf, messageOfRefusal } from "../refusal-message.ts";

/** Returns the message of a refusal. */
export function refusalMessage(body: unknown): string | undefined {
  return messageOfRefusal(body, memberOf(body, "detail"));
}
