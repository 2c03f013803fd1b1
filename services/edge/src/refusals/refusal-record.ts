import type { IncomingMessage } from "node:http";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { GatewayError } from "@tollgate/core/errors";
import { maskKeys } from "@tollgate/core/key-form";
import { storableText } from "@tollgate/core/storable-text";
import { type RequestRefusal, RequestRefusalSchema } from "@tollgate/proto/tollgate/v1/refusal";
import { clientRequestIdOf } from "../http/client-request-id.ts";
import { sentPathOf } from "../http/request-log.ts";

/** A request that ended with an error, and what is known of its client. */
export interface RefusedRequest {
  readonly req: IncomingMessage;
  readonly requestId: string;
  /** The path template of its route. Undefined: it has none, and its path is recorded as it was sent. */
  readonly route?: string | undefined;
  readonly alias?: string | undefined;
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  /** See `shownKey`. */
  readonly shownKey?: string | undefined;
}

/** What a client sends may be of any length. */
const maxMessageCharacters = 1_024;
const maxNameCharacters = 200;

/** Returns the record of a request that was refused. */
export function refusalRecord(
  { req, requestId, route = sentPathOf(req), alias = "", ...known }: RefusedRequest,
  { status, code, message, param = "" }: GatewayError,
  clientAddress: string,
  refusedAt: Date,
): RequestRefusal {
  const { accountId = "", keyId = "", shownKey: shown = "" } = known;
  return create(RequestRefusalSchema, {
    requestId,
    refusedAt: timestampFromDate(refusedAt),
    status,
    code,
    message: recorded(message, maxMessageCharacters),
    param: recorded(param),
    method: req.method ?? "",
    route: recorded(route),
    alias: recorded(alias),
    accountId,
    keyId,
    shownKey: keyId === "" ? shown : "",
    clientAddress,
    userAgent: recorded(req.headers["user-agent"] ?? ""),
    clientRequestId: recorded(clientRequestIdOf(req.headers)),
  });
}

/** Returns a text of the client as a record has it. A client may send a key where none belongs. */
function recorded(text: string, maxCharacters = maxNameCharacters): string {
  return storableText(maskKeys(text), maxCharacters);
}
