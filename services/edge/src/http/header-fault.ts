import type { IncomingMessage } from "node:http";
import { type GatewayError, invalidParam } from "@tollgate/core/errors";

/**
 * Returns the error of a request without the Host header that it must have (RFC 9112, 3.2), or with
 * two Host or two Authorization headers. Node uses the first of two, and a proxy in front of the
 * gateway may have checked the second.
 */
export function headerFault(req: IncomingMessage): GatewayError | undefined {
  if (req.httpVersion === "1.1" && req.headers.host === undefined) {
    return invalidParam("Host", "is required");
  }
  const repeated = repeatedHeader(req.rawHeaders);
  return repeated === undefined ? undefined : invalidParam(repeated, "must be sent once");
}

/** Returns the first of the headers that must be sent once which is sent again. */
function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  let hosts = 0;
  let authorizations = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    // The length is compared first: this runs for each header of each request.
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
    if (name.length === 13 && name.toLowerCase() === "authorization") authorizations += 1;
  }
  if (hosts > 1) return "Host";
  return authorizations > 1 ? "Authorization" : undefined;
}
