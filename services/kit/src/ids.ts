import { v7 as uuidv7 } from "uuid";

/** A new request id: `req_` and a UUIDv7 in 32 hex digits, so that ids sort by time. */
export function newRequestId(): string {
  return `req_${hexOfUuid()}`;
}

/** A new id of the given kind, for instance `acct_0199…`. */
export function newId(kind: "acct" | "key" | "entry"): string {
  return `${kind}_${hexOfUuid()}`;
}

function hexOfUuid(): string {
  return uuidv7().replaceAll("-", "");
}
