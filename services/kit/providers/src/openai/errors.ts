import type { JsonObject } from "@tollgate/core/json";

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
