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

  /** Returns whether the request may have this word of small letters, which a client may escape. It is not parsed for that. */
  mayHave(word: string): boolean {
    const { buffer, byteOffset, byteLength } = this.call.body;
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    return bytes.includes(word) || bytes.includes("\\u006") || bytes.includes("\\u007");
  }

  /** The request. It is parsed where it is read first: most requests are only forwarded. */
  get json(): JsonObject {
    this.#json ??= this.#parse(this.call);
    return this.#json;
  }
}
