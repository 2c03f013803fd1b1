import type { IncomingHttpHeaders } from "node:http";
import { maskKeys } from "@tollgate/core/key-form";

/** The headers in which clients send an id of their own. The first that is set is used. */
const headers = ["x-client-request-id", "x-request-id", "x-correlation-id"] as const;
const maxCharacters = 200;

/** Returns the id that a client gave its request, without keys; empty if it gave none. */
export function clientRequestIdOf(sent: IncomingHttpHeaders): string {
  for (const name of headers) {
    const id = sent[name];
    // Node joins a header that is sent twice.
    if (typeof id === "string" && id !== "") return maskKeys(id).slice(0, maxCharacters);
  }
  return "";
}
