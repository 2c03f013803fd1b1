import type { JsonObject } from "@tollgate/core/json";
import { replaceMembers } from "@tollgate/core/json-members";
import type { ChatCall, PromptSize, WireName } from "@tollgate/proto/tollgate/v1/chat";
import { withoutMark } from "../http/json-body.ts";
import { isAmbiguous } from "../http/raw-json-members.ts";
import type { RequestBody } from "../http/request-body.ts";
import type { RequestContext } from "../http/request-context.ts";

/** What the service needs besides the body. */
export interface ForwardedFields {
  alias: string;
  prompt: PromptSize;
  maxTokens?: number | undefined;
  /** See `affinityOf`. */
  affinity: string;
  /** See `clientHeaders`. */
  headers?: Record<string, string>;
}

/**
 * Returns the bytes that providers are sent of a body: the client's own, with `changed` members in place
 * of its. A body that another parser could read differently is serialized from what was checked.
 */
export function checkedBytes(
  body: RequestBody,
  checked: JsonObject,
  changed: JsonObject = {},
): Uint8Array {
  if (isAmbiguous(body, checked)) return Buffer.from(JSON.stringify({ ...checked, ...changed }));
  const bytes = withoutMark(body);
  const names = Object.keys(changed);
  if (names.length === 0) return bytes;
  return replaceMembers(
    bytes,
    Object.fromEntries(names.map((name) => [name, JSON.stringify(changed[name])])),
  );
}

/** Returns the call, without its caller, of a wire whose providers are sent the body as it is. */
export function forwardedCall(
  wire: WireName,
  body: Uint8Array,
  { alias, prompt, maxTokens, affinity, headers = {} }: ForwardedFields,
): ChatCall {
  return {
    $typeName: "tollgate.v1.ChatCall",
    alias,
    wire,
    body,
    messages: [],
    choices: 1,
    ...(maxTokens === undefined ? {} : { maxTokens: BigInt(maxTokens) }),
    maxTokensField: "",
    prompt,
    sessionId: "",
    affinity,
    headers,
  };
}

/** Returns those headers of a request that a provider which speaks its wire is sent. */
export function clientHeaders(
  { req }: Pick<RequestContext, "req">,
  names: readonly string[],
): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const name of names) {
    const value = req.headers[name];
    if (value !== undefined) forwarded[name] = [value].flat().join(",");
  }
  return forwarded;
}
