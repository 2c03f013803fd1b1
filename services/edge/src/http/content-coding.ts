import type { IncomingMessage } from "node:http";
import { GatewayError } from "@tollgate/core/errors";

/** The coding of a body that is not encoded. */
export const noCoding = "identity";

/** Returns the content coding of a request's body, in lower case. */
export function codingOf({ headers }: Pick<IncomingMessage, "headers">): string {
  return (headers["content-encoding"] ?? noCoding).trim().toLowerCase();
}

/** Returns the error for a body in an unknown coding. `decoded` are the codings that the route decodes. */
export function unknownCoding(coding: string, decoded: readonly string[]): GatewayError {
  const others = decoded.length === 0 ? "" : `, or with one of these: ${decoded.join(", ")}`;
  const message = `The body has the content coding ${JSON.stringify(coding.slice(0, 40))}. Send it with none${others}.`;
  return new GatewayError("invalid_json", message, { status: 415 });
}
