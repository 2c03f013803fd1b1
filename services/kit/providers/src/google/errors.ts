import { objectsIn } from "@tollgate/core/json";
import { errorMessage, memberOf } from "../refusal-message.ts";

/** Returns the message of a refusal that is about the request. */
export function refusalMessage(body: unknown): string | undefined {
  return isAboutGoogleAccount(body) ? undefined : errorMessage(body);
}

/**
 * Whether an error of Google's APIs is about the key, the billing or the location of the gateway, for
 * which they have 400, too: https://ai.google.dev/gemini-api/docs/troubleshooting
 */
export function isAboutGoogleAccount(body: unknown): boolean {
  const error = memberOf(body, "error");
  if (memberOf(error, "status") === "FAILED_PRECONDITION") return true;
  return objectsIn(memberOf(error, "details")).some(({ reason }) => reason === "API_KEY_INVALID");
}

/** Whether a refusal says that the prompt is too long. */
export function isTooLong(message: string): boolean {
  return /(prompt|input) is too long|input token count .* exceeds/i.test(message);
}

/** Returns the HTTP status of an error in a stream, where it is known. */
export function statusOfEvent(error: unknown): number | undefined {
  const status = memberOf(error, "statusCode");
  return typeof status === "number" ? status : undefined;
}
