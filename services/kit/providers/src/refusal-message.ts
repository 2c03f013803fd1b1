import { isJsonObject, objectsIn } from "@tollgate/core/json";

/**
 * Returns the message of a refusal: the first text of `own`, which a kind's API has in a place of its
 * own, or else that of the forms that vendors write. Every kind has them all, since a provider's address
 * may be a proxy's, and since a vendor's gateway writes other errors than its models do.
 */
export function messageOfRefusal(given: unknown, ...own: readonly unknown[]): string | undefined {
  const body = relayedBody(given);
  if (typeof body === "string") return body;
  if (!isJsonObject(body)) return undefined;
  const { error, errors, message, detail, err_msg, base_resp } = body;
  const ofMessage = isJsonObject(message) ? objectsIn(message.detail)[0]?.msg : message;
  const ofDetail = isJsonObject(detail) ? detail.message : (objectsIn(detail)[0]?.msg ?? detail);
  const ofErrors = objectsIn(errors)[0]?.message;
  const ofBase = memberOf(base_resp, "status_msg");
  const usual = [memberOf(error, "message"), ofMessage, ofDetail, err_msg, error, ofErrors, ofBase];
  return firstText(...own, ...usual);
}

/**
 * Returns the body of the vendor whose refusal OpenRouter passes on within its own, or its text; any other
 * body as it is. https://openrouter.ai/docs/api/reference/errors-and-debugging
 */
export function relayedBody(body: unknown): unknown {
  const error = memberOf(body, "error");
  const raw = memberOf(memberOf(error, "metadata"), "raw");
  const isRelayed = memberOf(error, "message") === "Provider returned error";
  if (!isRelayed || raw === undefined || raw === "") return body;
  if (typeof raw !== "string") return raw;
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

/** Returns the member `name` of a JSON body; undefined where it is no object or has none. */
export function memberOf(body: unknown, name: string): unknown {
  return isJsonObject(body) ? body[name] : undefined;
}

/** Returns the first of the values that is a text, and not an empty one. */
function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value !== "");
}
