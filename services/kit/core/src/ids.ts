import { randomUUID } from "node:crypto";

/** A new request id: `req_` and a UUIDv7 in 32 hex digits, so that ids sort by time. */
export function newRequestId(): string {
  return `req_${hexOfUuid()}`;
}

/** A new id of the given kind, for instance `acct_0199…`. */
export function newId(kind: "acct" | "key" | "entry" | "hold"): string {
  return `${kind}_${hexOfUuid()}`;
}

/** The time of the last id, also as ids write it, and how many were made in its millisecond. */
const last = { ms: 0, written: "", count: 0 };
const countsEachMs = 0x1000;

/**
 * A UUIDv7 with a counter behind its time (RFC 9562, 6.2, method 1): ids of one process never go
 * back. Its random half is that of a UUIDv4, for which Node draws from the system many at a time.
 */
function hexOfUuid(): string {
  last.count += 1;
  const ms = Math.max(Date.now(), last.count < countsEachMs ? last.ms : last.ms + 1);
  if (ms > last.ms) {
    last.ms = ms;
    last.written = ms.toString(16).padStart(12, "0");
    last.count = 0;
  }
  const count = last.count.toString(16).padStart(3, "0");
  const random = randomUUID();
  return `${last.written}7${count}${random.slice(19, 23)}${random.slice(24)}`;
}
