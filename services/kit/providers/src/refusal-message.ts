import { isJsonObject } from "@tollgate/core/json";

/** Returns the first of the values that is a text, and not an empty one. */
export function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value !== "");
}

/** Returns the member `name` of a JSON body; undefined where it is no object or has none. */
export function memberOf(body: unknown, name: string): unknown {
  return isJsonObject(body) ? body[name] : undefined;
}

/** Returns the message of the object `error`, in which OpenAI's API and many others have it. */
export function errorMessage(body: unknown): string | undefined {
  return firstText(memberOf(memberOf(body, "error"), "message"));
}
