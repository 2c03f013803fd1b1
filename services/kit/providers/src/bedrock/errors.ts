import { memberOf, messageOfRefusal } from "../refusal-message.ts";

/** Returns the message of a refusal. */
export function refusalMessage(body: unknown): string | undefined {
  return messageOfRefusal(body, memberOf(body, "message"));
}

/** Returns the HTTP status of an exception in a stream, where it is known. */
export function statusOfEvent(error: unknown): number | undefined {
  const status = memberOf(error, "statusCode");
  return typeof status === "number" ? status : undefined;
}
