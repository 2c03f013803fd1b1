import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { withoutMapping } from "@tollgate/http/mapped-address";
import proxyAddress from "proxy-addr";

/** Returns the address of a request's client. Empty where its connection is closed already. */
export type ReadClientAddress = (req: IncomingMessage) => string;

/**
 * Returns the function that reads the address of a request's client: that of its connection, or what
 * trusted `proxies` have appended to `X-Forwarded-For`. Clients write that header, too, so it is read
 * from its end, up to the first address that is not a proxy's. Throws a TypeError for a proxy that is
 * neither an address nor a network such as 10.0.0.0/8.
 */
export function createClientAddress(proxies: readonly string[]): ReadClientAddress {
  const isTrusted = proxyAddress.compile([...proxies]);
  return (req) => {
    const addresses = proxyAddress.all(req, isTrusted);
    return withoutMapping(addresses.findLast((address) => isIP(address ?? "") > 0) ?? "");
  };
}
