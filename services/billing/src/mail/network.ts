import { isIPv6 } from "node:net";

/**
 * Returns the network of a client: an IPv4 address itself, and the first 64 bits of an IPv6 address, of
 * which one client usually has all.
 */
export function networkOf(address: string): string {
  const [text = ""] = address.split("%");
  if (!isIPv6(text)) return address;
  // The parser of URLs reduces every spelling to one.
  const { hostname } = new URL(`http://[${text}]/`);
  const [before = "", after] = hostname.slice(1, -1).split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array.from({ length: zeros }, () => "0"), ...tail];
  const isMapped = groups.slice(0, 5).every((one) => one === "0") && groups[5] === "ffff";
  if (isMapped) return ipv4Of(groups[6] ?? "0", groups[7] ?? "0");
  return `${groups.slice(0, 4).join(":")}::/64`;
}

function ipv4Of(high: string, low: string): string {
  const bytes = [high, low].flatMap((group) => {
    const number = Number.parseInt(group, 16);
    return [number >> 8, number & 0xff];
  });
  return bytes.join(".");
}
