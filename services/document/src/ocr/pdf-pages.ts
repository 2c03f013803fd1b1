/** The longest run of bytes that a page count is looked for in at once. */
const overlapBytes = 64;

/** Counts the pages of a PDF while it passes. */
export interface PdfPages {
  push(chunk: Buffer): void;
  /** Undefined where it is no PDF, or one whose pages are packed out of sight. */
  count(): number | undefined;
}

/**
 * Reads what a PDF says openly: its page objects, and the count of its page tree. Newer files may
 * keep both compressed; those are not readable here.
 */
export function createPdfPages(): PdfPages {
  let isPdf: boolean | undefined;
  let pages = 0;
  let treeCount = 0;
  let rest = "";
  return {
    push(chunk) {
      isPdf ??= chunk.toString("latin1", 0, 5) === "%PDF-";
      if (!isPdf) return;
      const text = rest + chunk.toString("latin1");
      // What may go on in the next chunk is left to be counted with it.
      const end = text.length - overlapBytes;
      for (const match of text.matchAll(pageObject)) if (match.index < end) pages += 1;
      for (const match of text.matchAll(pageCount))
        treeCount = Math.max(treeCount, Number(match[1]));
      rest = text.slice(Math.max(0, end));
    },
    count() {
      if (!isPdf) return undefined;
      const objects = pages + [...rest.matchAll(pageObject)].length;
      const count = Math.max(objects, treeCount);
      return count === 0 ? undefined : count;
    },
  };
}

const pageObject = /\/Type\s{0,8}\/Page(?![A-Za-z])/g;
const pageCount = /\/Count\s{1,8}(\d{1,6})\b/g;
