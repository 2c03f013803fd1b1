import { type ChatMember, chatMembers } from "@tollgate/catalog/model";
import { kindProperties } from "@tollgate/catalog/provider-kinds";
import { invalidParam, unknownParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { LanguageModelKind } from "./kind.ts";

/** The members that the gateway sets. */
export const setMembers: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
]);

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
 * `unknown_param` for one that the API does not define.
 */
export function checkMembers(
  { kind, metadataMembers }: LanguageModelKind,
  request: JsonObject,
): void {
  const { chatParameters } = kindProperties[kind];
  for (const [name, value] of Object.entries(request)) {
    if (value === null || setMembers.has(name)) continue;
    if (!isChatMember(name)) throw unknownParam(name);
    if (chatParameters.has(name) || neutralValues[name] === value || isEmpty(value)) continue;
    throw notSupported(name);
  }
  if (!isJsonObject(request.metadata)) return;
  const other = Object.keys(request.metadata).find((name) => !metadataMembers.has(name));
  if (other !== undefined) throw notSupported(`metadata.${other}`);
}

/** Returns the error of a field that the wire of the provider's kind cannot express. */
export function notSupported(param: string, instead = "leave it out") {
  return invalidParam(param, `is not supported by a provider of this model: ${instead}`);
}

/** Returns whether the API defines a member of a chat request. */
export function isChatMember(name: string): name is ChatMember {
  return chatMembers.some((member) => member === name);
}

/** Whether a value is an object without members, as of `logit_bias` and `metadata`. */
function isEmpty(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
