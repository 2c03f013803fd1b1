/** A cookie of the console, which no script of a page can read. */
export interface Cookie {
  read(headers: Headers): string | undefined;
  /** Returns the value of a `Set-Cookie` header. */
  write(value: string, maxAgeSeconds: number): string;
  clear(): string;
}

/**
 * Creates a cookie. Over https it has the `__Host-` prefix, so that no other host, path or unencrypted
 * connection can set it. The gateway of one machine uses http, over which browsers refuse the prefix.
 */
export function createCookie(name: string, isSecure: boolean): Cookie {
  const fullName = isSecure ? `__Host-${name}` : name;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  const write = (value: string, maxAgeSeconds: number) =>
    `${fullName}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`;
  return {
    read(headers) {
      const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
      const prefix = `${fullName}=`;
      return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) || undefined;
    },
    write,
    clear: () => write("", 0),
  };
}
