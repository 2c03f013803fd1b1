/** The longest match of a page object or a page count, in bytes. */
const overlapBytes = 64;

/** PDF readers accept the header within this many bytes of the start of a file. */
const headerBytes = 1_024;
const header = "%PDF-";

/** Counts the pages of a PDF while it is read in chunks. */
export interface PdfPages {
  push(chunk: Buffer): void;
  /** Returns whether the file is a PDF. */
  isPdf(): boolean;
  /** Returns the pages; undefined where the file is not a PDF or all its pages are compressed. */
  count(): number | undefined;
}

/**
 * Counts the uncompressed page objects of a PDF, and reads the count of its page tree. Newer files
 * may compress both, and are then not counted.
 */
export function createPdfPages(): PdfPages {
  let kind: "unknown" | "pdf" | "other" = "unknown";
  let pages = 0;
  let treeCount = 0;
  let rest = "";

  /** Recognizes a file by its start, once enough of it has been read. */
  function kindOf(start: string): typeof kind {
    if (start.slice(0, headerBytes + header.length).includes(header)) return "pdf";
    return start.length < headerBytes + header.length ? "unknown" : "other";
  }

  function countIn(text: string): void {
    // A match that may continue in the next chunk is counted with that chunk.
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
    isPdf: () => kind === "pdf",
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
