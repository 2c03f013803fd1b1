/** The longest run of bytes that a page count is looked for in at once. */
const overlapBytes = 64;

/** Readers take a file for a PDF that names itself within so much of its start. */
const headerBytes = 1_024;
const header = "%PDF-";

/** Counts the pages of a PDF while it passes. */
export interface PdfPages {
  push(chunk: Buffer): void;
  /** Whether what has passed is a PDF. */
  readonly isPdf: boolean;
  /** Undefined where it is no PDF, or one whose pages are packed out of sight. */
  count(): number | undefined;
}

/**
 * Reads what a PDF says openly: its page objects, and the count of its page tree. Newer files may
 * keep both compressed; those are not readable here.
 */
export function createPdfPages(): PdfPages {
  let kind: "unknown" | "pdf" | "other" = "unknown";
  let pages = 0;
  let treeCount = 0;
  let rest = "";

  /** Tells by the start of a file what it is, once enough of that has come. */
  function kindOf(start: string): typeof kind {
    if (start.slice(0, headerBytes + header.length).includes(header)) return "pdf";
    return start.length < headerBytes + header.length ? "unknown" : "other";
  }

  function countIn(text: string): void {
    // What may go on in the next chunk is left to be counted with it.
    const end = text.length - overlapBytes;
    for (const match of text.matchAll(pageObject)) if (match.index < end) pages += 1;
    for (const [, count] of text.matchAll(pageCount)) {
      treeCount = Math.max(treeCount, Number(count));
    }
    rest = text.slice(Math.max(0, end));
  }

  return {
    push(chunk) {
      if (kind === "other") return;
      const text = rest + chunk.toString("latin1");
      if (kind === "unknown") kind = kindOf(text);
      if (kind === "pdf") countIn(text);
      else rest = kind === "unknown" ? text : "";
    },
    get isPdf() {
      return kind === "pdf";
    },
    count() {
      if (kind !== "pdf") return undefined;
      const objects = pages + [...rest.matchAll(pageObject)].length;
      const count = Math.max(objects, treeCount);
      return count === 0 ? undefined : count;
    },
  };
}

const pageObject = /\/Type\s{0,8}\/Page(?![A-Za-z])/g;
const pageCount = /\/Count\s{1,8}(\d{1,6})\b/g;
