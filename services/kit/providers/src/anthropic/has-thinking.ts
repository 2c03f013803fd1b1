import { isJsonObject, type JsonObject } from "@tollgate/core/json";

/** Returns whether a message, or a chat completion, is requested with thinking. */
export function hasThinking({ thinking, reasoning_effort: effort }: JsonObject): boolean {
  if (typeof effort === "string") return effort !== "none";
  return isJsonObject(thinking) && thinking.type !== "disabled";
}
