import type { JsonObject } from "@tollgate/core/json";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";

/** Returns the request in a call that has the client's whole body. */
export function parseBody({ body }: ChatCall): JsonObject {
  return JSON.parse(Buffer.from(body).toString("utf8")) as JsonObject;
}
