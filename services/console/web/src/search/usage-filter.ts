import { type RawSearch, readTexts } from "./read.ts";

/** The filters that Activity and Requests share, so that one screen leads into the other. */
export interface FilterSearch {
  account?: string;
  key?: string;
  model?: string;
  provider?: string;
  route?: string;
  plan?: string;
  tag?: string;
  owner?: string;
  user?: string;
}

export type FilterName = keyof FilterSearch;

/** Each filter with its name for people. */
export const filterNames: Readonly<Record<FilterName, string>> = {
  account: "Account",
  key: "Key",
  model: "Model",
  provider: "Provider",
  route: "Route",
  plan: "Plan",
  tag: "Tag",
  owner: "Owner",
  user: "End user",
};

/** Returns the filters of an address. */
export function readFilters(raw: RawSearch): FilterSearch {
  return readTexts(raw, Object.keys(filterNames) as FilterName[]);
}
