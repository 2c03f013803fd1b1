/** Returns a path with one more segment, which is added before its query. */
export function withSegment(path: string, segment: string): string {
  const [bare = "", ...query] = path.split("?");
  const all = `${bare.replace(/\/$/, "")}/${segment}`;
  return query.length === 0 ? all : `${all}?${query.join("?")}`;
}
