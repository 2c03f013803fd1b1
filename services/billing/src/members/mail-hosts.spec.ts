import { expect, test } from "vitest";
import { isPublicMailHost, mailboxOf, registrableDomain } from "./mail-hosts.ts";

test("hosts at which anybody has an address are public, and those of a company are not", () => {
  for (const host of ["gmail.com", "outlook.com", "gmx.de"]) {
    expect([host, isPublicMailHost(host)]).toEqual([host, true]);
  }
  expect(isPublicMailHost("acme-corporation.example")).toBe(false);
});

test("subdomains belong to the domain that was registered", () => {
  expect(registrableDomain("a.b.acme.co.uk")).toBe("acme.co.uk");
  expect(registrableDomain("one.dynamic.duckdns.org")).toBe("duckdns.org");
});

test("one mailbox is one address", () => {
  expect(mailboxOf("ada+1@acme.com")).toBe("ada@acme.com");
  expect(mailboxOf("a.d.a+x@googlemail.com")).toBe("ada@gmail.com");
  expect(mailboxOf("a.d.a@acme.com")).toBe("a.d.a@acme.com");
});
