import { type Base64Reading, decodeLeniently, readingsOf } from "./lenient-base64.ts";
import { createPdfPages, type PdfPages } from "./pdf-pages.ts";

/** What a page takes of a document whose pages are not counted, about. */
const bytesPerPage = 32 * 1_024;
const maxPages = 1_000;
/** How much is counted at a time. */
const sliceBytes = 192 * 1_024;

/** Pages are counted in so much base64 of a request, which takes at most some 50 ms. */
const maxCountedCharacters = 2 * 1_024 * 1_024;

/** Estimates the pages of a document in base64 by its size, without reading it. */
function estimatePages(base64: string): number {
  return withinBounds(Math.ceil((base64.length * 3) / 4 / bytesPerPage));
}

function pushSlices(bytes: Buffer, pages: PdfPages): void {
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    pages.push(bytes.subarray(at, at + sliceBytes));
  }
}

/** What a document has whose bytes are not in the request: the provider fetches it, or stores it. */
export const absentPages = 100;

/**
 * Counts the pages of the documents of one request: those that a PDF declares, else an estimate by its
 * size. Of a document that is longer than what is left to read, the head and the tail are read, and the
 * estimate is the least. Where decoders read a text differently, the most pages count.
 */
export class PageCounter {
  #charactersLeft = maxCountedCharacters;

  /** Returns the pages of a document in base64, which may be a data URL; of one that is not there, `absentPages`. */
  pagesOf(data: unknown): number {
    if (typeof data !== "string") return absentPages;
    const base64 = data.replace(/^data:[^,]{0,2000},/i, "");
    const estimate = estimatePages(base64);
    if (this.#charactersLeft === 0 || estimate === maxPages) return estimate;
    const readings = readingsOf(excerptOf(base64, this.#charactersLeft).join(""));
    const excerpt = excerptOf(base64, Math.ceil(this.#charactersLeft / readings.length));
    const read = base64.length * readings.length;
    const isWhole = excerpt.length === 1;
    this.#charactersLeft = Math.max(0, this.#charactersLeft - read);
    const counts = readings.map((reading) => countPages(excerpt, reading));
    const most = Math.max(...counts);
    if (isWhole) return withinBounds(most === 0 ? estimate : most);
    // Only a text that is no plain base64 has several readings: what is not read of it is not trusted.
    return withinBounds(Math.max(most, readings.length > 1 ? absentPages : 1, estimate));
  }
}

/** Returns a text that is not longer than `maxCharacters`, else its head and its tail. */
function excerptOf(text: string, maxCharacters: number): [string] | [string, string] {
  if (text.length <= maxCharacters) return [text];
  return [text.slice(0, Math.ceil(maxCharacters / 2)), text.slice(-Math.ceil(maxCharacters / 8))];
}

/** Returns the pages that are found in a head, and in a tail; 0 where they cannot be counted. */
function countPages([head, tail]: [string] | [string, string], reading: Base64Reading): number {
  const pages = createPdfPages();
  pushSlices(decodeLeniently(head, reading), pages);
  // Where a group of four characters begins in the tail is unknown: one of these is right, and the
  // others find nothing.
  for (let skipped = 0; tail !== undefined && skipped < 4; skipped += 1) {
    pushSlices(decodeLeniently(tail, reading, skipped), pages);
  }
  return pages.count() ?? 0;
}

function withinBounds(pages: number): number {
  return Math.min(Math.max(pages, 1), maxPages);
}
