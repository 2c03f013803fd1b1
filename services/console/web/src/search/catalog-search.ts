import type { RawSearch } from "./read.ts";

interface CatalogSearch {
  /** The revision whose changes are shown. */
  revision?: string;
  /** The list of revisions begins after this one. */
  before?: string;
}

/** Returns what an address asks of the catalog's screen. What is not the number of a revision is left out. */
export function readCatalogSearch(raw: RawSearch): CatalogSearch {
  const found: CatalogSearch = {};
  for (const name of ["revision", "before"] as const) {
    const text = String(raw[name] ?? "");
    if (/^[1-9]\d{0,14}$/.test(text)) found[name] = text;
  }
  return found;
}
