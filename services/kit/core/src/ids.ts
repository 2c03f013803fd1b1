import { randomUUID } from "node:crypto";

/** Returns a new request id: `req_` and a UUIDv7 in 32 hex digits, so that ids sort by time. */
export function newRequestId(): string {
  return `req_${hexOfUuid()}`;
}

/** Returns a new id of the given kind, for example `acct_0199…`. */
export function newId(
  kind:
    | "acct"
    | "key"
    | "entry"
    | "hold"
    | "running"
    | "payment"
    | "batch"
    | "code"
    | "operator"
    | "invitation"
    | "signup"
    | "message"
    | "warning"
    | "channel"
    | "token"
    | "use"
    | "audit"
    | "replica"
    | "candidate"
    | "process",
): string {
  return `${kind}_${hexOfUuid()}`;
}

/** What precedes the id of a request in that of the usage event of its loss. */
export const lostPrefix = "lost_";

/** Returns the id of the usage event which says that a request was lost with its process. */
export function lostEventIdOf(requestId: string): string {
  return lostPrefix + requestId;
}

/** The time of the last id, also in hex, and how many ids that millisecond has had. */
const last = { ms: 0, hex: "", count: 0 };
const idsPerMs = 0x1000;

/**
 * Returns a UUIDv7 with a counter after its time (RFC 9562, 6.2, method 1), so that the ids of one
 * process always ascend. The random half comes from a UUIDv4: Node caches the random bytes of many.
 */
function hexOfUuid(): string {
  last.count += 1;
  const ms = Math.max(Date.now(), last.count < idsPerMs ? last.ms : last.ms + 1);
  if (ms > last.ms) {
    last.ms = ms;
    last.hex = ms.toString(16).padStart(12, "0");
    last.count = 0;
  }
  const count = last.count.toString(16).padStart(3, "0");
  const random = randomUUID();
  return `${last.hex}7${count}${random.slice(19, 23)}${random.slice(24)}`;
}
