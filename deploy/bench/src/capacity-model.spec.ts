import { expect, test } from "vitest";
import { capacityFor, limitsOf, type RequestCosts } from "./capacity-model.ts";

const costs: RequestCosts = {
  cpuUs: { edge: 100, chat: 200, ledger: 70, NATS: 10, Postgres: 50 },
  walBytes: 1_000,
  storedBytes: 500,
};

test("a step is busy when it uses 70 % of a core", () => {
  expect(limitsOf(costs)).toMatchObject({ edge: 7_000, chat: 3_500, ledger: 10_000 });
});

test("a rate needs whole processes, and disk in proportion", () => {
  expect(capacityFor(costs, 10_000)).toEqual({
    requestsPerSecond: 10_000,
    needed: { edge: 2, chat: 3, ledger: 1, NATS: 1, Postgres: 1 },
    walMegabytesPerSecond: 10,
    storedGigabytesPerDay: 432,
  });
});
