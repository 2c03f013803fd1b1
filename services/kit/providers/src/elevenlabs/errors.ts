import { memberOf, messageOfRefusal } from "../refusal-message.ts";

/** Returns the message of a refusal. */
export function refusalMessage(body: unknown): string | undefined {
  const detail = memberOf(body, "detail");
  return messageOfRefusal(body, memberOf(detail, "message"), detail);
}
