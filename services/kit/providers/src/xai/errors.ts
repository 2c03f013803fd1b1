import { memberOf, messageOfRefusal } from "../refusal-message.ts";

/** Returns the message of a refusal that is about the request: xAI has it as `error` itself. */
export function refusalMessage(body: unknown): string | undefined {
  return messageOfRefusal(body, memberOf(body, "error"));
}
