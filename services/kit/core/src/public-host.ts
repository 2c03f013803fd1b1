import { BlockList, isIP } from "node:net";

/**
 * Returns whether a URL names a host of the public internet, by its text alone: a name with a dot that
 * is not reserved for local use, or an IP address outside the private, local and reserved ranges. A
 * name may still resolve to another address.
 */
export function isPublicUrl(text: string): boolean {
  if (isReadTwoWays.test(text) || !URL.canParse(text)) return false;
  // Some parsers take what is before the last `@` for the host, and some what is behind it.
  const { username, password } = new URL(text);
  if (username !== "" || password !== "") return false;
  // The parser of WHATWG reduces every spelling of an address (hex, octal, one number) to one.
  const host = new URL(text).hostname.replace(/\.$/, "").toLowerCase();
  if (host.startsWith("[")) return isPublicAddress(host.slice(1, -1));
  if (isIP(host) !== 0) return isPublicAddress(host);
  return host.includes(".") && !localName.test(host);
}

/** What parsers of URLs skip, or take for another character: spaces, controls and backslashes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const isReadTwoWays = /[\u0000-\u0020\u007f\\]/;

/** Returns whether an IP address is in a public range. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !reserved.check(address, "ipv4");
  return family === 6 && globalUnicast.check(address, "ipv6") && !reserved.check(address, "ipv6");
}

/** Names of special use (RFC 6761, RFC 6762, RFC 9476) and those of clusters and clouds. */
const localName = /\.(localhost|local|internal|intranet|lan|home|corp|svc|home\.arpa)$/;

/** https://www.iana.org/assignments/iana-ipv4-special-registry and that of IPv6. */
const reserved = blockListOf([
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  // Teredo and others, documentation, and 6to4, which contains an IPv4 address.
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

const globalUnicast = blockListOf([["2000::", 3]]);

function blockListOf(subnets: readonly (readonly [address: string, prefix: number])[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of subnets) {
    list.addSubnet(address, prefix, address.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}
