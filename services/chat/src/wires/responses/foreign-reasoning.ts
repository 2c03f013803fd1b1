import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { detailsIn, mayBeUnsigned } from "../signed-details.ts";

const reasoning = /"type"\s*:\s*"reasoning"/g;
const encrypted = /"encrypted_content"\s*:\s*"(?!")/g;

/** Whether the bytes of a request may have reasoning that OpenAI would refuse. */
export function mayHaveForeignReasoning(body: Buffer): boolean {
  return mayBeUnsigned(body.toString("latin1"), reasoning, encrypted);
}

/**
 * Returns a request without the reasoning that OpenAI did not encrypt; the same object where there is
 * none. OpenAI looks for such an item among those that it has stored.
 */
export function withoutForeignReasoning(request: JsonObject): JsonObject {
  if (!Array.isArray(request.input)) return request;
  const isStored = request.store === true;
  const input = request.input.filter((item) => !isForeign(item, isStored));
  return input.length === request.input.length ? request : { ...request, input };
}

function isForeign(item: unknown, isStored: boolean): boolean {
  if (!isJsonObject(item)) return false;
  const content = item.encrypted_content ?? "";
  if (typeof content !== "string") return false;
  if (item.type === "reasoning" && content === "") return !isStored;
  return detailsIn(content) !== undefined;
}
