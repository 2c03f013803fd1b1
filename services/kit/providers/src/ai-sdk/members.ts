import { type ChatMember, isChatMember } from "@tollgate/catalog/chat-members";
import { unknownParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { notSupported, setMembers } from "../not-supported.ts";
import type { LanguageModelKind } from "./kind.ts";

/** The values of members that change nothing, also where a kind does not have the member. */
const neutralValues: { readonly [Member in ChatMember]?: unknown } = {
  n: 1,
  min_p: 0,
  frequency_penalty: 0,
  presence_penalty: 0,
  logprobs: false,
  top_logprobs: 0,
  parallel_tool_calls: true,
};

/**
 * Throws `invalid_param` for a member of a chat request that the kind's wire cannot express, and
 * `unknown_param` for one that the API does not define, unless the kind takes such members.
 */
export function checkMembers(
  { chatParameters, metadataMembers, takesOtherMembers }: LanguageModelKind,
  request: JsonObject,
): void {
  for (const [name, value] of Object.entries(request)) {
    if (value === null || setMembers.has(name)) continue;
    if (!isChatMember(name)) {
      if (takesOtherMembers === true) continue;
      throw unknownParam(name);
    }
    if (chatParameters.has(name) || neutralValues[name] === value || isEmpty(value)) continue;
    throw notSupported(name);
  }
  if (!isJsonObject(request.metadata)) return;
  const other = Object.keys(request.metadata).find((name) => !metadataMembers.has(name));
  if (other !== undefined) throw notSupported(`metadata.${other}`);
}

/** Returns the members of a chat request that the API does not define; undefined where it has none. */
export function otherMembers(request: JsonObject): JsonObject | undefined {
  const others = Object.entries(request).filter(
    ([name]) => !isChatMember(name) && !setMembers.has(name),
  );
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

/** Whether a value is an object without members, as of `logit_bias` and `metadata`. */
function isEmpty(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
