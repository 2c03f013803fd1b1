/** The search parameters of an address before a screen has checked them. */
export type RawSearch = Readonly<Record<string, unknown>>;

/** Returns the parameters of a query string as texts. An id of digits stays a text. */
export function parseSearch(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query));
}

/** Returns the query string of parameters, without those that are absent or false. */
export function stringifySearch(search: RawSearch): string {
  const entries = Object.entries(search).flatMap(([name, value]) => {
    if (value === undefined || value === null || value === "" || value === false) return [];
    return [[name, value === true ? "1" : String(value)]];
  });
  const query = new URLSearchParams(entries).toString();
  return query === "" ? "" : `?${query}`;
}

/** Returns the parameters with these names that are set. */
export function readTexts<Name extends string>(
  raw: RawSearch,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = raw[name];
    if (typeof value === "string" && value !== "") found[name] = value;
  }
  return found;
}

/** Returns the parameters with these names that are whole numbers above 0, as texts. */
export function readNumbers<Name extends string>(
  raw: RawSearch,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const texts = Object.entries<string>(readTexts(raw, names) as Record<string, string>);
  const numbers = texts.filter(([, text]) => /^[1-9]\d{0,14}$/.test(text));
  return Object.fromEntries(numbers) as Partial<Record<Name, string>>;
}

/** Returns a parameter that has one of some values; undefined where it has none of them. */
export function readOne<Value extends string>(
  raw: RawSearch,
  name: string,
  values: readonly Value[],
): Value | undefined {
  return values.find((value) => value === raw[name]);
}

/** Returns whether a parameter is set to true. */
export function readFlag(raw: RawSearch, name: string): true | undefined {
  return raw[name] === true || raw[name] === "1" || raw[name] === "true" ? true : undefined;
}

/** Returns an object without its members that are undefined. */
export function defined<Search extends object>(
  search: Search,
): {
  [Name in keyof Search]?: Exclude<Search[Name], undefined>;
} {
  const set = Object.entries(search).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as ReturnType<typeof defined<Search>>;
}
