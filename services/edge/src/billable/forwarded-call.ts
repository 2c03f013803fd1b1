import type { ChatCall, PromptSize, Wire } from "@tollgate/proto/tollgate/v1/chat";
import { withoutMark } from "../http/json-body.ts";
import type { RequestBody } from "../http/request-body.ts";
import type { RequestContext } from "../http/request-context.ts";

/** What the service needs besides the body. */
export interface ForwardedFields {
  alias: string;
  prompt: PromptSize;
  maxTokens?: number | undefined;
  /** See `clientHeaders`. */
  headers?: Record<string, string>;
}

/** Returns the call, without its caller, of a wire whose providers are sent the client's bytes. */
export function forwardedCall(
  wire: Wire,
  body: RequestBody,
  { alias, prompt, maxTokens, headers = {} }: ForwardedFields,
): ChatCall {
  return {
    $typeName: "tollgate.v1.ChatCall",
    alias,
    wire,
    body: withoutMark(body),
    messages: [],
    choices: 1,
    ...(maxTokens === undefined ? {} : { maxTokens: BigInt(maxTokens) }),
    maxTokensField: "",
    prompt,
    sessionId: "",
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
