import type { JsonObject } from "@tollgate/core/json";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";

/** What a client requests. */
export class ClientRequest {
  readonly call: ChatCall;
  /** What the model allows. */
  readonly allows: ReadonlySet<string>;
  readonly #parse: (call: ChatCall) => JsonObject;
  #json: JsonObject | undefined;

  /** `parse` returns the request in a call, without the stored turns of its conversation. */
  constructor(call: ChatCall, parse: (call: ChatCall) => JsonObject, allows: ReadonlySet<string>) {
    this.call = call;
    this.allows = allows;
    this.#parse = parse;
  }

  /** The request. It is parsed where it is read first: most requests are only forwarded. */
  get json(): JsonObject {
    this.#json ??= this.#parse(this.call);
    return this.#json;
  }
}
