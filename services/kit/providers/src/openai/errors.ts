import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { isAboutGoogleAccount } from "../google/errors.ts";
import { firstText, memberOf } from "../refusal-message.ts";
import { isAboutXaiAccount } from "../xai/errors.ts";

/**
 * Returns the message of a refusal. Providers that speak OpenAI's API do not all write its errors: each
 * of these forms is that of some vendor.
 */
export function refusalMessage(body: unknown): string | undefined {
  if (!isJsonObject(body) || isAboutGoogleAccount(body) || isAboutXaiAccount(body))
    return undefined;
  const { error, message, detail, err_msg } = body;
  const ofMessage = isJsonObject(message) ? objectsIn(message.detail)[0]?.msg : message;
  const ofDetail = isJsonObject(detail) ? detail.message : detail;
  return firstText(memberOf(error, "message"), ofMessage, ofDetail, err_msg, error);
}

/**
 * How providers say that a prompt is too long: OpenAI and those that follow it, and the vendors behind
 * proxies with OpenAI's API. Most of their errors have no code for it.
 */
const tooLong =
  /(prompt|input) is too long|context (length|limit|window)|maximum (context|prompt) length|input token count .* exceeds|too many tokens/i;

/** Whether a refusal says that the prompt is too long. */
export function isTooLong(message: string): boolean {
  return tooLong.test(message);
}

/** Returns the HTTP status of a failure that a stream of the Responses API reports, where it is known. */
export function responsesStatusOf({ code }: JsonObject): number | undefined {
  return statusOfCode.get(code);
}

/** https://platform.openai.com/docs/api-reference/responses/object#responses/object-error */
const statusOfCode: ReadonlyMap<unknown, number> = new Map([
  ["server_error", 500],
  ["rate_limit_exceeded", 429],
  ["server_is_overloaded", 503],
  ["insufficient_quota", 429],
  ["context_length_exceeded", 400],
  ["invalid_prompt", 400],
]);
