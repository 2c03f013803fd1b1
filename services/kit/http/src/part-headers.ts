const lineEnd = "\r\n";
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const headersEnd = "\r\n\r\n";
/** The limit for the headers of a part. busboy reads less of them. */
const maxHeaderBytes = 16 * 1024;

/**
 * Finds the parts of a multipart body, and their content types. A body that is forwarded unchanged
 * is refused where the provider might parse it into another form than busboy does here.
 */
export interface PartHeaders {
  /** Reads the next bytes of the body. */
  push(chunk: Buffer): void;
  /** The full `Content-Type` of each part so far, in order; undefined where a part has none. */
  readonly contentTypes: readonly (string | undefined)[];
  /** Where the contents of each part begin in the body, in bytes. */
  readonly offsets: readonly number[];
  /**
   * Returns why reading stopped, which is because other parsers may read the body differently;
   * undefined while it has not.
   */
  fault(): string | undefined;
}

/**
 * Creates a reader of the parts' content types with their parameters, which busboy drops. The
 * sample rate of raw audio is such a parameter.
 */
export function createPartHeaders(boundary: string): PartHeaders {
  const delimiter = `--${boundary}`;
  const contentTypes: (string | undefined)[] = [];
  const offsets: number[] = [];
  let fault: string | undefined;
  let state: "contents" | "headers" | "done" = "contents";
  // The first delimiter may be at the start of the body, without a line end before it.
  let pending = Buffer.from(lineEnd);
  /** Where `pending` begins in the body. */
  let position = -lineEnd.length;
  /** Whether the contents of the part began before `pending`. */
  let beganBefore = false;

  function stop(why: string): false {
    fault = why;
    state = "done";
    return false;
  }

  function drop(bytes: number): void {
    pending = pending.subarray(bytes);
    position += bytes;
  }

  /**
   * Skips to after the next delimiter. Where there is none, retains the bytes that may begin one.
   */
  function skipContents(): boolean {
    let at = pending.indexOf(delimiter);
    while (at >= 0 && !mayBeginLine(at)) at = pending.indexOf(delimiter, at + 1);
    if (at < 0) {
      const retained = lineEnd.length + delimiter.length - 1;
      if (pending.length > retained) beganBefore = true;
      drop(Math.max(0, pending.length - retained));
      return false;
    }
    if (pending.toString("latin1", at - lineEnd.length, at) !== lineEnd) {
      return stop("one of its boundaries is not preceded by a line end of its own");
    }
    drop(at + delimiter.length);
    state = "headers";
    return true;
  }

  /**
   * Returns whether a line may begin at `at`. Includes what other parsers accept: a bare CR or LF,
   * or the line end of the headers.
   */
  function mayBeginLine(at: number): boolean {
    if (at === 0) return !beganBefore;
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
    if (next !== lineEnd) return stop("one of its boundaries is not followed by a line end");
    const at = pending.subarray(0, maxHeaderBytes).indexOf(headersEnd);
    if (at < 0 && pending.length < maxHeaderBytes) return false;
    if (at < 0) return stop("the headers of one of its parts are too long");
    const read = readPart(pending.toString("latin1", lineEnd.length, at));
    if ("fault" in read) return stop(read.fault);
    contentTypes.push(read.contentType);
    drop(at + headersEnd.length);
    offsets.push(position);
    beganBefore = false;
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
    offsets,
    fault: () => fault,
  };
}

function readPart(headers: string): { contentType: string | undefined } | { fault: string } {
  const lines = headers.replaceAll(/\r\n[ \t]/g, " ").split(lineEnd);
  if (/[\0\r\n]/.test(lines.join(""))) return { fault: "one of its parts has broken headers" };
  const dispositions = valuesOf(lines, "content-disposition");
  const types = valuesOf(lines, "content-type");
  if (dispositions.length > 1 || types.length > 1) {
    return { fault: "one of its parts has two Content-Disposition or two Content-Type headers" };
  }
  const names = dispositions.flatMap(parametersOf).filter(({ name }) => /^name\*?/.test(name));
  if (names.length > 1 || names.some(({ name }) => name !== "name")) {
    return { fault: "one of its parts has two names" };
  }
  const [contentType] = types;
  if (contentType !== undefined && !/^[\t\x20-\x7e]*$/.test(contentType)) {
    return { fault: "the Content-Type of one of its parts is not plain ASCII" };
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
  /** In lower case. */
  name: string;
  value: string;
}

const parameter = /;[ \t]*([^=;\s"]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/g;

/** Returns the parameters of a header in order, without their quotes, with their escapes. */
function parametersOf(header: string): Parameter[] {
  return Array.from(header.matchAll(parameter), ([, name = "", quoted, plain = ""]) => ({
    name: name.toLowerCase(),
    value: quoted ?? plain,
  }));
}

/** Returns whether a text with this `Content-Type` is in UTF-8, as one is that names no charset. */
export function isUtf8(contentType = ""): boolean {
  const charsets = parametersOf(contentType).filter(({ name }) => name.startsWith("charset"));
  return charsets.every(({ name, value }) => name === "charset" && /^utf-?8$/i.test(value));
}

/** A boundary as RFC 2046, 5.1.1, defines it. */
const boundaryPattern = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/;

/**
 * Returns the boundary that a form's `Content-Type` names. Returns undefined where it names none,
 * more than one, or one that other parsers may read differently.
 */
export function formBoundary(contentType: string): string | undefined {
  const type = contentType.replaceAll(parameter, "").trim();
  if (!/^multipart\/form-data[ \t]*;?$/i.test(type)) return undefined;
  const named = parametersOf(contentType).filter(({ name }) => name.startsWith("boundary"));
  const [boundary] = named;
  if (boundary?.name !== "boundary" || named.length > 1) return undefined;
  return boundaryPattern.test(boundary.value) ? boundary.value : undefined;
}
