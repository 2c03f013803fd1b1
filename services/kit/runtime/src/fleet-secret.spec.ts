import { StartError } from "@tollgate/core/errors";
import { expect, test } from "vitest";
import { requireGuard } from "./fleet-secret.ts";

const variable = "TOLLGATE_LISTEN";

test.each([
  "127.0.0.1:9090",
  "127.9.9.9:1",
  "localhost:9090",
  "[::1]:9090",
  "unix:/run/a.sock",
])("%s is reached from this machine only, and needs no secret", (address) => {
  expect(() => requireGuard(variable, address, undefined)).not.toThrow();
});

test.each([
  "0.0.0.0:9090",
  "[::]:9090",
  "10.0.0.5:9090",
  "127.0.0.1.example.com:1",
  "ledger:1",
])("%s is reached from elsewhere, and needs the secret", (address) => {
  expect(() => requireGuard(variable, address, undefined)).toThrow(StartError);
  expect(() => requireGuard(variable, address, undefined)).toThrow(
    /^TOLLGATE_LISTEN: .* needs TOLLGATE_FLEET_SECRET/,
  );
  expect(() => requireGuard(variable, address, "secret")).not.toThrow();
});
