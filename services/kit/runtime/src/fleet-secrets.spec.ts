import { StartError } from "@tollgate/core/errors";
import { expect, test } from "vitest";
import { readFleetSecrets } from "./fleet-secrets.ts";

test.each([
  ["billing, on every address", { TOLLGATE_LISTEN: "0.0.0.0:9090" }],
  ["billing, on every IPv6 address", { TOLLGATE_LISTEN: "[::]:9090" }],
  ["a secret that is empty", { TOLLGATE_FLEET_SECRET: "" }],
])("a service does not start without a secret: %s", (_, env) => {
  expect(() => readFleetSecrets(env, ["billing"])).toThrow(StartError);
});

test.each([
  ["on its own machine", { TOLLGATE_LISTEN: "127.0.0.1:9090" }],
  ["on a socket in a folder", { TOLLGATE_LISTEN: "unix:/run/tollgate.sock" }],
])("a service needs no secret %s", (_, env) => {
  expect(readFleetSecrets(env, ["billing"])).toEqual({ fleet: undefined });
});

test("the services that mint money or change keys need the secret of operators, too", () => {
  const env = { TOLLGATE_LISTEN: "0.0.0.0:9090", TOLLGATE_FLEET_SECRET: "fleet" };
  for (const name of ["billing", "ledger", "console"] as const) {
    expect(() => readFleetSecrets(env, [name])).toThrow(/^TOLLGATE_OPERATOR_SECRET: is not set/);
  }
  expect(readFleetSecrets(env, ["edge", "chat"])).toEqual({ fleet: "fleet" });
  const both = { ...env, TOLLGATE_OPERATOR_SECRET: "operator" };
  expect(readFleetSecrets(both, ["ledger"])).toEqual({ fleet: "fleet", operator: "operator" });
  expect(readFleetSecrets(both, ["edge"])).toEqual({ fleet: "fleet" });
});
