/** Where a service takes proxied requests: a TCP port, or a socket in the file system. */
export type HttpAddress = { host: string; port: number } | { socketPath: string };

/** Parses `host:port` or `unix:path`. Raises a TypeError for anything else. */
export function parseHttpAddress(text: string): HttpAddress {
  if (text.startsWith("unix:")) return { socketPath: text.slice("unix:".length) };
  const [, host = "", port = ""] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === "") throw new TypeError(`${text} is no address: it must be host:port or unix:path`);
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}
