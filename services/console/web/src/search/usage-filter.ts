import { defined, type RawSearch, readTexts } from "./read.ts";

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

/** The filters of an address, and the names of those of which requests have none: `plan,tag`. */
export interface UsageSearch extends FilterSearch {
  none?: string;
}

/** The filters by which requests that have none are found. Others always have one, or are not summed. */
const nullable: readonly FilterName[] = [
  ...(["key", "model", "provider", "route", "plan", "tag", "owner"] as const),
];

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

/** Returns the filters of an address, without what it does not know. */
export function readFilters(raw: RawSearch): UsageSearch {
  const texts = readTexts(raw, Object.keys(filterNames) as FilterName[]);
  const { none } = readTexts(raw, ["none"]);
  return { ...texts, ...defined({ none: none && noneOf(none.split(",")) }) };
}

/** Returns the filters of which requests must have none. */
export function namesOfNone({ none = "" }: UsageSearch): FilterName[] {
  const names = none.split(",");
  return nullable.filter((name) => names.includes(name));
}

/** Returns the parameter of the filters of which requests must have none. Undefined without any. */
export function noneOf(names: readonly string[]): string | undefined {
  const known = nullable.filter((name) => names.includes(name));
  return known.length === 0 ? undefined : known.join(",");
}

/** Returns whether requests that have none of something are found. */
export function canBeNone(name: FilterName): boolean {
  return nullable.includes(name);
}
