import { type ChatMember, chatMembers } from "@tollgate/catalog/model";
import { kindProperties } from "@tollgate/catalog/provider-kinds";
import { invalidParam, unknownParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";

const { chatParameters } = kindProperties.anthropic;

/** The members that the gateway sets. */
const setMembers: ReadonlySet<string> = new Set(["model", "messages", "stream", "stream_options"]);

/** Members that Anthropic does not have, with the value that changes nothing. */
const neutralValues: { readonly [Member in ChatMember]?: unknown } = {
  n: 1,
  min_p: 0,
  frequency_penalty: 0,
  presence_penalty: 0,
  logprobs: false,
  top_logprobs: 0,
};

/**
 * Throws `invalid_param` for a member of a chat request that Anthropic's wire cannot express, and
 * `unknown_param` for one that the API does not define.
 */
export function checkMembers(request: JsonObject): void {
  for (const [name, value] of Object.entries(request)) {
    if (value === null || setMembers.has(name)) continue;
    if (!isChatMember(name)) throw unknownParam(name);
    if (chatParameters.has(name) || neutralValues[name] === value) continue;
    if (name === "logit_bias" && isJsonObject(value) && Object.keys(value).length === 0) continue;
    throw notSupported(name);
  }
  if (!isJsonObject(request.metadata)) return;
  const other = Object.keys(request.metadata).find((name) => name !== "user_id");
  if (other !== undefined) throw notSupported(`metadata.${other}`);
}

/** Returns the error of a field that Anthropic's wire cannot express. */
export function notSupported(param: string, instead = "leave it out") {
  return invalidParam(param, `is not supported by a provider of this model: ${instead}`);
}

function isChatMember(name: string): name is ChatMember {
  return chatMembers.some((member) => member === name);
}
