import { firstText, memberOf } from "../refusal-message.ts";

/** Returns the message of a refusal. */
export function refusalMessage(body: unknown): string | undefined {
  return firstText(memberOf(body, "message"));
}

/** Whether a refusal says that the prompt is too long. */
export function isTooLong(message: string): boolean {
  return /too many tokens/i.test(message);
}
