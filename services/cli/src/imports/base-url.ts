/** Returns an address with the path of its API, unless it has one already. */
export function baseUrlOf(url: string, path: string | undefined): string {
  const base = url.replace(/\/+$/, "");
  return path === undefined || new URL(base).pathname !== "/" ? base : base + path;
}
