import type { RawSearch } from "./read.ts";

interface CatalogSearch {
  /** The revision whose changes are shown. */
  revision?: string;
  /** The list of revisions begins after this one. */
  before?: string;
}

/** Returns the search parameters of the catalog's screen, without those that are not revision numbers. */
export function readCatalogSearch(raw: RawSearch): CatalogSearch {
  const found: CatalogSearch = {};
  for (const name of ["revision", "before"] as const) {
    const text = String(raw[name] ?? "");
    if (/^[1-9]\d{0,14}$/.test(text)) found[name] = text;
  }
  return found;
}
