import { networkInterfaces } from "node:os";

/** The host that stands for all addresses of the machine, in settings that say where to listen. */
export const everyHost = "*";

type Interfaces = ReturnType<typeof networkInterfaces>;

/**
 * Returns the host to listen on. For `*` that is `::`, which takes IPv4 connections, too, and `0.0.0.0`
 * where the machine has no IPv6 address. Brackets around an address are left out.
 */
export function listenHost(host: string, interfaces: Interfaces = networkInterfaces()): string {
  if (host !== everyHost) return host.replace(/^\[|\]$/g, "");
  const addresses = Object.values(interfaces).flatMap((found) => found ?? []);
  return addresses.some(({ family }) => family === "IPv6") ? "::" : "0.0.0.0";
}

/** Returns an address as gRPC takes it: for `*:9090` that is `[::]:9090` or `0.0.0.0:9090`. */
export function listenAddress(address: string): string {
  const every = `${everyHost}:`;
  if (!address.startsWith(every)) return address;
  return `${bracketed(listenHost(everyHost))}:${address.slice(every.length)}`;
}

/** Returns a host as it stands in a URL and before a port. */
export function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
