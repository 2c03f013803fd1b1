import { firstText, memberOf } from "../refusal-message.ts";

/** Returns the message of a refusal. */
export function refusalMessage(body: unknown): string | undefined {
  const detail = memberOf(body, "detail");
  return firstText(memberOf(detail, "message"), detail);
}
