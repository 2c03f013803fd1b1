import { expect, test } from "vitest";
import { StartError } from "./errors.ts";
import { requireSecret } from "./guarded-host.ts";

const require = (host: string, secret?: string) => requireSecret("LISTEN", host, { secret });

test.each([
  "127.0.0.1",
  "127.9.9.9",
  "localhost",
  "[::1]",
  "::1",
])("%s is reached from this machine only, and needs no secret", (host) => {
  expect(() => require(host)).not.toThrow();
});

test.each([
  "0.0.0.0",
  "::",
  "[::]",
  "10.0.0.5",
  "127.0.0.1.example.com",
  "ledger",
])("%s is reached from elsewhere, and needs the secret", (host) => {
  expect(() => require(host)).toThrow(StartError);
  expect(() => require(host)).toThrow(/^LISTEN: .* needs TOLLGATE_FLEET_SECRET/);
  expect(() => require(host, "secret")).not.toThrow();
});
