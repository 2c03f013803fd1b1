import type { JsonObject } from "@tollgate/core/json";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";

const quote = 0x22;

/** What a client requests. */
export class ClientRequest {
  readonly call: ChatCall;
  /** What the model allows. */
  readonly allows: ReadonlySet<string>;
  readonly #parse: (call: ChatCall) => JsonObject;
  /** The request as the client sent it. */
  readonly bytes: Buffer;
  #json: JsonObject | undefined;
  /** Whether its texts may have escaped small letters. */
  #mayEscape: boolean | undefined;

  /** `parse` returns the request in a call, without the stored turns of its conversation. */
  constructor(call: ChatCall, parse: (call: ChatCall) => JsonObject, allows: ReadonlySet<string>) {
    this.call = call;
    const { buffer, byteOffset, byteLength } = call.body;
    this.bytes = Buffer.from(buffer, byteOffset, byteLength);
    this.allows = allows;
    this.#parse = parse;
  }

  /** Returns whether the request may have a name that begins with this text and is longer. */
  mayHaveLonger(text: string): boolean {
    const { bytes } = this;
    const start = Buffer.from(`"${text}`);
    let at = bytes.indexOf(start);
    while (at !== -1) {
      let end = at + start.length;
      while (isNameByte(bytes[end])) end += 1;
      if (end > at + start.length && bytes[end] === quote) return true;
      at = bytes.indexOf(start, end);
    }
    return false;
  }

  /**
   * Returns whether the request may have this word of small letters, which a client may escape. The request
   * is not parsed for that.
   */
  mayHave(word: string): boolean {
    const { bytes } = this;
    if (bytes.includes(word)) return true;
    this.#mayEscape ??= bytes.includes("\\u006") || bytes.includes("\\u007");
    return this.#mayEscape;
  }

  /** The request. It is parsed where it is read first: most requests are only forwarded. */
  get json(): JsonObject {
    this.#json ??= this.#parse(this.call);
    return this.#json;
  }
}

/** Whether a byte is one of a tool's name: a letter, a digit, or one of `_-.:/`. */
function isNameByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  // From `-` to `:` are `-`, `.`, `/` and the digits.
  return isLetter || byte === 0x5f || (byte >= 0x2d && byte <= 0x3a);
}
