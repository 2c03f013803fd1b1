import { errorMessage, firstText, memberOf } from "../refusal-message.ts";

/** Returns the message of a refusal that is about the request: xAI has it as `error` itself. */
export function refusalMessage(body: unknown): string | undefined {
  if (isAboutXaiAccount(body)) return undefined;
  return errorMessage(body) ?? firstText(memberOf(body, "error"));
}

/** Whether an error of xAI's is about the gateway's key, for which it has 400, too. */
export function isAboutXaiAccount(body: unknown): boolean {
  const error = memberOf(body, "error");
  return typeof error === "string" && /^Incorrect API key/.test(error);
}

/** Whether a refusal says that the prompt is too long. */
export function isTooLong(message: string): boolean {
  return /maximum (context|prompt) length/i.test(message);
}
