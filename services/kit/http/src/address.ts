import { StartError } from "@tollgate/core/errors";
import { listenHost } from "@tollgate/core/listen-host";

/** Where a service listens for proxied requests: a TCP port or a Unix socket. */
export type HttpAddress = { host: string; port: number } | { socketPath: string };

const maxPort = 65_535;

/**
 * Parses `host:port` or `unix:path`, the value of an environment variable. The host `*` is every address
 * of the machine. Throws a StartError that names the variable for anything else.
 */
export function parseHttpAddress(variable: string, text: string): HttpAddress {
  if (text.startsWith("unix:")) return { socketPath: text.slice("unix:".length) };
  const [, host = "", digits = ""] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (host !== "" && port <= maxPort) return { host: listenHost(host), port };
  throw new StartError(`${variable}: ${text} is not an address: it must be host:port or unix:path`);
}
