const lineEnd = "\r\n";
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const headersEnd = "\r\n\r\n";
/** More than busboy reads of the headers of a part. */
const maxHeaderBytes = 16 * 1024;

/**
 * Finds the parts of a multipart body, and their content types. A body that is forwarded unchanged
 * must not be parsed by the provider into another form than it is here.
 */
export interface PartHeaders {
  /** Reads the next bytes of the body. */
  push(chunk: Buffer): void;
  /** The full `Content-Type` of each part so far, in order; undefined where a part has none. */
  readonly contentTypes: readonly (string | undefined)[];
  /** Why reading stopped: the body has a form that other parsers may read differently. */
  readonly fault: string | undefined;
}

/**
 * Reads the content types of the parts with their parameters, which busboy drops. The sample rate of
 * raw audio is such a parameter.
 */
export function createPartHeaders(boundary: string): PartHeaders {
  const delimiter = `--${boundary}`;
  const contentTypes: (string | undefined)[] = [];
  let fault: string | undefined;
  let state: "contents" | "headers" | "done" = "contents";
  // The first delimiter may be at the very start.
  let pending = Buffer.from(lineEnd);
  /** Whether the start of the contents is no longer in `pending`. */
  let isPartBegun = false;

  function stop(why: string): false {
    fault = why;
    state = "done";
    return false;
  }

  /** Moves behind the next delimiter, or keeps the bytes that may be the start of one. */
  function skipContents(): boolean {
    let at = pending.indexOf(delimiter);
    while (at >= 0 && !mayBeginLine(at)) at = pending.indexOf(delimiter, at + 1);
    if (at < 0) {
      const kept = lineEnd.length + delimiter.length - 1;
      if (pending.length > kept) isPartBegun = true;
      pending = pending.subarray(Math.max(0, pending.length - kept));
      return false;
    }
    if (pending.toString("latin1", at - lineEnd.length, at) !== lineEnd) {
      return stop("one of its boundaries has no line end of its own in front of it");
    }
    pending = pending.subarray(at + delimiter.length);
    state = "headers";
    return true;
  }

  /** Also for parsers that accept a bare CR or LF, or the line end of the headers. */
  function mayBeginLine(at: number): boolean {
    if (at === 0) return !isPartBegun;
    return pending[at - 1] === lineFeed || pending[at - 1] === carriageReturn;
  }

  function readHeaders(): boolean {
    if (pending.length < lineEnd.length) return false;
    const next = pending.toString("latin1", 0, lineEnd.length);
    if (next === "--") {
      state = "done";
      return false;
    }
    if (/^[ \t]/.test(next)) return stop("there is white space after one of its boundaries");
    if (next !== lineEnd) return stop("one of its boundaries does not end with its line");
    const at = pending.subarray(0, maxHeaderBytes).indexOf(headersEnd);
    if (at < 0 && pending.length < maxHeaderBytes) return false;
    if (at < 0) return stop("one of its parts has too long headers");
    const read = readPart(pending.toString("latin1", lineEnd.length, at));
    if ("fault" in read) return stop(read.fault);
    contentTypes.push(read.contentType);
    pending = pending.subarray(at + headersEnd.length);
    isPartBegun = false;
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
    get fault() {
      return fault;
    },
  };
}

function readPart(headers: string): { contentType: string | undefined } | { fault: string } {
  const lines = headers.replaceAll(/\r\n[ \t]/g, " ").split(lineEnd);
  if (/[\0\r\n]/.test(lines.join(""))) return { fault: "one of its parts has broken headers" };
  const dispositions = valuesOf(lines, "content-disposition");
  const types = valuesOf(lines, "content-type");
  if (dispositions.length > 1 || types.length > 1) {
    return { fault: "one of its parts says twice what it is" };
  }
  const names = dispositions.flatMap(parametersOf).filter(({ name }) => /^name\*?/.test(name));
  if (names.length > 1 || names.some(({ name }) => name !== "name")) {
    return { fault: "one of its parts has two names" };
  }
  const [contentType] = types;
  if (contentType !== undefined && !/^[\t\x20-\x7e]*$/.test(contentType)) {
    return { fault: "the type of one of its parts is no text" };
  }
  return { contentType };
}

function valuesOf(lines: readonly string[], name: string): string[] {
  return lines.flatMap((line) => {
    const colon = line.indexOf(":");
    if (line.slice(0, colon).trim().toLowerCase() !== name) return [];
    return [line.slice(colon + 1).trim()];
  });
}

interface Parameter {
  /** In small letters. */
  name: string;
  value: string;
}

const parameter = /;[ \t]*([^=;\s"]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/g;

/** The parameters of a header, as it names them, with their quotes off and their escapes as they are. */
function parametersOf(header: string): Parameter[] {
  return Array.from(header.matchAll(parameter), ([, name = "", quoted, plain = ""]) => ({
    name: name.toLowerCase(),
    value: quoted ?? plain,
  }));
}

/** What RFC 2046, 5.1.1, makes boundaries of. */
const boundaryPattern = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/;

/**
 * The boundary that a form's `Content-Type` names; undefined where it names none, more than one, or
 * one that is written in a way of which others may make another.
 */
export function formBoundary(contentType: string): string | undefined {
  const type = contentType.replaceAll(parameter, "").trim();
  if (!/^multipart\/form-data[ \t]*;?$/i.test(type)) return undefined;
  const named = parametersOf(contentType).filter(({ name }) => name.startsWith("boundary"));
  const [boundary] = named;
  if (boundary?.name !== "boundary" || named.length > 1) return undefined;
  return boundaryPattern.test(boundary.value) ? boundary.value : undefined;
}
