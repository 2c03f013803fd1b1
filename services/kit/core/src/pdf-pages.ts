/** How far from a match the rest of its dictionary is read, in bytes. Longer than any match. */
const contextBytes = 512;

/** How much is read before it is counted: each count reads the context again. */
const minBytes = 4 * contextBytes;

/** How many counts may turn out to be of bookmarks. A file of nothing else must not take seconds. */
const maxChecks = 1_000;

/** The pages that are assumed of a file whose pages cannot be counted. */
export const packedPages = 100;

/** PDF readers accept the header within this many bytes of the start of a file. */
const headerBytes = 1_024;
const header = "%PDF-";

/** Counts the pages of a PDF while it is read in chunks. */
export interface PdfPages {
  push(chunk: Buffer): void;
  /** Returns whether the file is a PDF. */
  isPdf(): boolean;
  /**
   * Returns the pages; undefined where the file is not a PDF, or has compressed objects, which may be
   * pages, and less than `packedPages` others.
   */
  count(): number | undefined;
}

/**
 * Counts the uncompressed page objects of a PDF, and reads the count of its page tree. A file with
 * compressed objects may have most of its pages in them: a low count of such a file is not used, so that
 * one uncompressed page does not make it cost one page. The counts of bookmarks are not pages.
 */
export function createPdfPages(): PdfPages {
  let kind: "unknown" | "pdf" | "other" = "unknown";
  let pages = 0;
  let treeCount = 0;
  let checks = 0;
  let isPacked = false;
  let rest = "";
  /** How much of `rest` was counted. It is the context of what follows. */
  let counted = 0;

  /** Recognizes a file by its start, once enough of it has been read. */
  function kindOf(start: string): typeof kind {
    if (start.slice(0, headerBytes + header.length).includes(header)) return "pdf";
    return start.length < headerBytes + header.length ? "unknown" : "other";
  }

  /** Counts in a text up to `end`. A match after it is counted with the next chunk, its context. */
  function countIn(text: string, end: number): void {
    const isNew = ({ index }: RegExpExecArray) => index >= counted && index < end;
    isPacked ||= [...text.matchAll(packedObjects)].some(isNew);
    pages += [...text.matchAll(pageObject)].filter(isNew).length;
    for (const { index, 1: count } of [...text.matchAll(pageCount)].filter(isNew)) {
      if (Number(count) <= treeCount) continue;
      checks += 1;
      if (checks > maxChecks || !isOfBookmarks(text, index)) treeCount = Number(count);
    }
    const from = Math.max(0, end - contextBytes);
    rest = text.slice(from);
    counted = Math.max(counted, end) - from;
  }

  return {
    push(chunk) {
      if (kind === "other") return;
      const text = rest + chunk.toString("latin1");
      if (kind === "unknown") kind = kindOf(text);
      if (kind === "pdf" && text.length - counted >= minBytes) {
        countIn(text, text.length - contextBytes);
      } else if (kind === "pdf") rest = text;
      else rest = kind === "unknown" ? text : "";
    },
    isPdf: () => kind === "pdf",
    count() {
      if (kind !== "pdf") return undefined;
      countIn(rest, rest.length);
      const count = Math.max(pages, treeCount);
      return count === 0 || (isPacked && count < packedPages) ? undefined : count;
    },
  };
}

/** Dictionaries of bookmarks that have a count also name their first and last; those of pages do not. */
function isOfBookmarks(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - contextBytes), index);
  const after = text.slice(index, index + contextBytes);
  const start = Math.max(before.lastIndexOf("<<"), before.lastIndexOf(">>"));
  const end = after.search(/<<|>>/);
  const dictionary = before.slice(start + 1) + (end < 0 ? after : after.slice(0, end));
  const isTree = pageTree.test(dictionary);
  return !isTree && firstBookmark.test(dictionary) && lastBookmark.test(dictionary);
}

const pageTree = /\/Kids\b|\/Type\s{0,8}\/Pages\b/;
const firstBookmark = /\/First\b/;
const lastBookmark = /\/Last\b/;
const packedObjects = /\/Type\s{0,8}\/ObjStm\b/g;
const pageObject = /\/Type\s{0,8}\/Page(?![A-Za-z])/g;
const pageCount = /\/Count\s{1,8}(\d{1,6})\b/g;
