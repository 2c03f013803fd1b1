/** Returns the path and query of a request target; it may be an absolute URL (RFC 9112, 3.2.2). */
export function withoutOrigin(url: string): string {
  return url.startsWith("/") ? url : url.replace(/^\w+:\/\/[^/?]*/, "");
}
