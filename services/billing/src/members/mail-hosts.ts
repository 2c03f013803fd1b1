import freeEmailDomains from "free-email-domains";
import { getDomain } from "tldts";

const publicHosts: ReadonlySet<string> = new Set(freeEmailDomains);

/** Returns whether anybody can have an address at a host, such as gmail.com. */
export function isPublicMailHost(host: string): boolean {
  return publicHosts.has(host) || publicHosts.has(registrableDomain(host));
}

/**
 * Returns the domain that somebody has registered: `example.co.uk` of `mail.example.co.uk`. Names that a
 * service hands out below its own domain count as that domain.
 */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: false }) ?? host;
}

/**
 * Returns an address as its mailbox is found: without what follows `+`, and of Gmail without dots, so
 * that one mailbox is one address.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf("@");
  const host = address.slice(at + 1).replace(/^googlemail\.com$/, "gmail.com");
  const [name = ""] = address.slice(0, at).split("+");
  return `${host === "gmail.com" ? name.replaceAll(".", "") : name}@${host}`;
}
