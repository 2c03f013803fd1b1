const lineEnd = "\r\n";
const space = 0x20;
const tab = 0x09;
const headersEnd = "\r\n\r\n";
const contentTypeLine = /^content-type:[ \t]*(.*?)[ \t]*$/im;

/** Tells the parts of a multipart body apart, and how each names its content. */
export interface PartHeaders {
  /** Takes the next bytes of the body. */
  push(chunk: Buffer): void;
  /** The whole `Content-Type` of each part so far, in order; undefined where it has none. */
  readonly contentTypes: readonly (string | undefined)[];
  /** Whether a boundary is followed by white space: legal, but more than the form parser reads. */
  readonly isPadded: boolean;
}

/**
 * Reads the parts' content types with their parameters, which a form parser drops: the rate of raw
 * audio is one.
 */
export function createPartHeaders(contentType: string): PartHeaders {
  const delimiter = `${lineEnd}--${boundaryOf(contentType)}`;
  const contentTypes: (string | undefined)[] = [];
  let isPadded = false;
  let state: "contents" | "headers" | "done" = "contents";
  // The first delimiter may stand at the very start.
  let pending = Buffer.from(lineEnd);

  /** Goes on to what follows the next delimiter, or keeps what may be the start of one. */
  function skipContents(): boolean {
    const at = pending.indexOf(delimiter);
    if (at < 0) {
      pending = pending.subarray(Math.max(0, pending.length - delimiter.length + 1));
      return false;
    }
    pending = pending.subarray(at + delimiter.length);
    state = "headers";
    return true;
  }

  function readHeaders(): boolean {
    if (pending.length < 2) return false;
    if (pending.subarray(0, 2).toString() === "--") {
      state = "done";
      return false;
    }
    isPadded ||= pending[0] === space || pending[0] === tab;
    const at = pending.indexOf(headersEnd);
    if (at < 0) return false;
    const [, value] = contentTypeLine.exec(pending.toString("latin1", 0, at)) ?? [];
    contentTypes.push(value);
    pending = pending.subarray(at + headersEnd.length);
    state = "contents";
    return true;
  }

  return {
    push(chunk) {
      if (state === "done") return;
      pending = Buffer.concat([pending, chunk]);
      while (state === "contents" ? skipContents() : readHeaders());
    },
    contentTypes,
    get isPadded() {
      return isPadded;
    },
  };
}

/** A parameter's name, and its value with quotes or without. */
const parameter = /;\s*([^=;\s]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/g;

function boundaryOf(contentType: string): string {
  for (const [, name = "", quoted, plain = ""] of contentType.matchAll(parameter)) {
    if (name.toLowerCase() === "boundary") return quoted?.replaceAll(/\\(.)/g, "$1") ?? plain;
  }
  return "";
}
