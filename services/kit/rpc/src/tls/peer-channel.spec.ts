import type { PeerCertificate } from "node:tls";
import { expect, test } from "vitest";
import { hostsOf, nameProblem } from "./peer-channel.ts";

function certificateFor(subjectaltname: string): PeerCertificate {
  return { subject: { CN: "x" }, subjectaltname } as Partial<PeerCertificate> as PeerCertificate;
}

test.each([
  ["ledger:9090", ["ledger"]],
  ["dns:///tollgate-ledger-headless:9090", ["tollgate-ledger-headless"]],
  ["10.0.0.1:9090,[fd00::1]:9090", ["10.0.0.1", "fd00::1"]],
  ["unix:/run/tollgate.sock", []],
])("the hosts of the address %s are %j", (address, hosts) => {
  expect(hostsOf(address)).toEqual(hosts);
});

test.each([
  ["ledger:9090", "DNS:ledger", true],
  ["ledger:9090", "DNS:billing", false],
  ["dns:///gateway-ledger-headless:9090", "DNS:gateway-billing, DNS:*-headless", false],
  ["10.0.0.1:9090,10.0.0.2:9090", "IP Address:10.0.0.2", true],
  ["10.0.0.1:9090,10.0.0.2:9090", "IP Address:10.0.0.3", false],
  ["127.0.0.1:9090", "DNS:ledger", true],
  ["[::1]:9090", "DNS:ledger", true],
])("at %s, a certificate for %s is accepted: %j", (address, names, isAccepted) => {
  expect(nameProblem(hostsOf(address), certificateFor(names)) === undefined).toBe(isAccepted);
});
