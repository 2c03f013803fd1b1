import { saysTooLong } from "../prompt-length.ts";
import { memberOf } from "../refusal-message.ts";

/** Whether a refusal says that the prompt is too long: Gemini also says so without the count. */
export function isTooLong(message: string): boolean {
  return saysTooLong(message) || /input token count exceeds/i.test(message);
}

/** Returns the HTTP status of an error in a stream, where it is known. */
export function statusOfEvent(error: unknown): number | undefined {
  const status = memberOf(error, "statusCode");
  return typeof status === "number" ? status : undefined;
}
