import { firstText, memberOf } from "../refusal-message.ts";

/** Returns the message of a refusal. */
export function refusalMessage(body: unknown): string | undefined {
  return firstText(memberOf(body, "message"));
}

/** Whether a refusal says that the prompt is too long, in the words of Bedrock or of its models. */
export function isTooLong(message: string): boolean {
  return /(prompt|input) is too long|context (length|limit|window)|maximum (context|prompt) length|too many tokens/i.test(
    message,
  );
}

/** Returns the HTTP status of an exception in a stream, where it is known. */
export function statusOfEvent(error: unknown): number | undefined {
  const status = memberOf(error, "statusCode");
  return typeof status === "number" ? status : undefined;
}
