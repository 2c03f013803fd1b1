import { createPdfPages } from "./pdf-pages.ts";

/** What a page takes of a document whose pages are not counted, about. */
const bytesPerPage = 32 * 1_024;
const maxPages = 1_000;
/** A multiple of 4 characters, so that each slice of base64 is decoded by itself. */
const sliceCharacters = 256 * 1_024;

/** Estimates the pages of a document in base64 by its size, without reading it. */
export function estimatePages(base64: string): number {
  return withinBounds(Math.ceil((base64.length * 3) / 4 / bytesPerPage));
}

/** Counts the pages of a document in base64: those that a PDF declares, else an estimate by its size. */
export function countPages(base64: string): number {
  const pages = createPdfPages();
  for (let at = 0; at < base64.length; at += sliceCharacters) {
    pages.push(Buffer.from(base64.slice(at, at + sliceCharacters), "base64"));
  }
  return withinBounds(pages.count() ?? estimatePages(base64));
}

/** Pages are counted in so much base64 of a request, which takes at most some 50 ms; others by their size. */
const maxCountedCharacters = 2 * 1_024 * 1_024;

/** What a document has whose bytes are not in the request: the provider fetches it, or stores it. */
export const absentPages = 100;

/** Counts the pages of the documents of one request. */
export class PageCounter {
  #characters = 0;

  /** Returns the pages of a document in base64, which may be a data URL; of one that is not there, `absentPages`. */
  pagesOf(data: unknown): number {
    if (typeof data !== "string") return absentPages;
    const base64 = data.replace(/^data:[^,]{0,300},/i, "");
    this.#characters += base64.length;
    return this.#characters <= maxCountedCharacters ? countPages(base64) : estimatePages(base64);
  }
}

function withinBounds(pages: number): number {
  return Math.min(Math.max(pages, 1), maxPages);
}
