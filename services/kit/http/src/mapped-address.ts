const mapping = "::ffff:";

/** Returns an IPv4 address without the prefix that a socket which listens on IPv6 reports. */
export function withoutMapping(address: string): string {
  return address.startsWith(mapping) ? address.slice(mapping.length) : address;
}
