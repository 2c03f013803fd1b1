import type { JsonObject } from "@tollgate/core/json";

/**
 * The body of a client's request. It is parsed at most once, and only where a slot's kind needs its
 * members: elsewhere, its bytes are forwarded.
 */
export class ClientBody<Members extends object = JsonObject> {
  /** A JSON object, without the members that the gateway sets. */
  readonly bytes: Uint8Array;
  #members: Members | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get members(): Members {
    this.#members ??= JSON.parse(Buffer.from(this.bytes).toString("utf8")) as Members;
    return this.#members;
  }
}
