import { expect, test } from "vitest";
import { lookUpTargets } from "./lookup.ts";

test.each([
  ["127.0.0.1:9090", ["ipv4:127.0.0.1:9090"]],
  ["127.0.0.1:1,127.0.0.2:2", ["ipv4:127.0.0.1:1", "ipv4:127.0.0.2:2"]],
  ["[::1]:9090", ["ipv6:[::1]:9090"]],
  ["dns:///127.0.0.1:9090", ["ipv4:127.0.0.1:9090"]],
  ["unix:/run/ledger.sock", ["unix:/run/ledger.sock"]],
  ["nobody.invalid:9090", []],
])("the targets of %s are %j", async (address, targets) => {
  expect(await lookUpTargets(address)).toEqual(targets);
});

test("a host name has all its addresses as targets", async () => {
  expect(await lookUpTargets("localhost:9090")).toContain("ipv4:127.0.0.1:9090");
});
