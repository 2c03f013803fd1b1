import { firstText, memberOf } from "../refusal-message.ts";

/** Returns the message of a refusal. */
export function refusalMessage(body: unknown): string | undefined {
  return firstText(memberOf(body, "detail"));
}
