import type { JsonObject } from "@tollgate/core/json";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";

const quote = 0x22;

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

  /** Returns whether the request may have a name that begins with this text and is longer. */
  mayHaveLonger(text: string): boolean {
    const bytes = this.#bytes();
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

  /** Returns whether the request may have this word of small letters, which a client may escape. It is not parsed for that. */
  mayHave(word: string): boolean {
    const bytes = this.#bytes();
    return bytes.includes(word) || bytes.includes("\\u006") || bytes.includes("\\u007");
  }

  /** The request. It is parsed where it is read first: most requests are only forwarded. */
  get json(): JsonObject {
    this.#json ??= this.#parse(this.call);
    return this.#json;
  }

  #bytes(): Buffer {
    const { buffer, byteOffset, byteLength } = this.call.body;
    return Buffer.from(buffer, byteOffset, byteLength);
  }
}

/** Whether a byte is one of a tool's name: a letter, a digit, or one of `_-.:/`. */
function isNameByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  // From `-` to `:` are `-`, `.`, `/` and the digits.
  return isLetter || byte === 0x5f || (byte >= 0x2d && byte <= 0x3a);
}
