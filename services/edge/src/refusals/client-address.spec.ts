import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { createClientAddress } from "./client-address.ts";

function addressOf(proxies: readonly string[], remoteAddress: string, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const req = { headers, socket: { remoteAddress } } as unknown as IncomingMessage;
  return createClientAddress(proxies)(req);
}

test("without proxies, the address is that of the connection, whatever the client says", () => {
  expect(addressOf([], "203.0.113.7", "198.51.100.1")).toBe("203.0.113.7");
  expect(addressOf([], "::ffff:203.0.113.7")).toBe("203.0.113.7");
});

test("a trusted proxy's address is replaced by the last one that is not a proxy's", () => {
  const proxies = ["10.0.0.0/8", "192.0.2.1"];
  expect(addressOf(proxies, "10.1.2.3", "198.51.100.1")).toBe("198.51.100.1");
  expect(addressOf(proxies, "::ffff:10.1.2.3", "6.6.6.6, 198.51.100.1, 192.0.2.1")).toBe(
    "198.51.100.1",
  );
  expect(addressOf(proxies, "203.0.113.7", "198.51.100.1")).toBe("203.0.113.7");
});

test("what is no address is never one", () => {
  expect(addressOf(["10.0.0.0/8"], "10.1.2.3", "<script>")).toBe("10.1.2.3");
  expect(addressOf([], "")).toBe("");
});

test("a wrong network is refused", () => {
  for (const wrong of ["10.0.0.0/99", "example.com"]) {
    expect(() => createClientAddress([wrong])).toThrow(TypeError);
  }
});
