import { invalidParam } from "@tollgate/core/errors";

/** The members of a chat request that the gateway sets. */
export const setMembers: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
]);

/** Returns the error of a field that the wire of the provider's kind cannot express. */
export function notSupported(param: string, instead = "leave it out") {
  return invalidParam(param, `is not supported by a provider of this model: ${instead}`);
}
