import { createCallLog, type RecordedCall } from "@tollgate/simulator/call-log";
import { expect, test } from "vitest";
import type { LedgerEntry } from "./ledger-database.ts";
import type { Observation } from "./observation.ts";
import { judge } from "./oracle.ts";

const complete: Observation = {
  workload: "chat",
  customer: { accountId: "a", key: "k", isRich: true },
  outcome: "complete",
  status: 200,
  requestId: "req_1",
  attempts: 1,
  attemptsWithoutId: 0,
  reportsCost: true,
  keyed: false,
  costNanoUsd: 5_000n,
};

const charged: LedgerEntry = {
  kind: "usage",
  eventId: "req_1",
  requestId: "req_1",
  reference: "",
  chargeId: undefined,
  amountNanoUsd: -5_000n,
  uncollectedNanoUsd: 0n,
  chargedForKey: undefined,
};

function calls(...requestIds: string[]): RecordedCall[] {
  const log = createCallLog();
  const about = { at: 0, route: "/", model: "m", stream: false, user: null, authorized: false };
  for (const requestId of requestIds) {
    log.record({ ...about, requestId, body: undefined }).status = 200;
  }
  return log.list();
}

test("matching observations, charges and provider calls are no violation", () => {
  expect(judge([complete], [charged], calls("req_1"))).toEqual({
    violations: [],
    chargedWithoutResponse: 0,
    chargedNanoUsd: 5_000n,
  });
});

const keyedCharge = { ...charged, chargeId: "c", chargedForKey: 5_000n };

test.each<[string, Observation[], LedgerEntry[], string[], string]>([
  ["a lost entry", [complete], [], ["req_1"], "has 0 entries"],
  ["two entries", [complete], [charged, charged], ["req_1"], "has 2 entries"],
  ["another cost", [complete], [{ ...charged, amountNanoUsd: -1n }], ["req_1"], "reported 5000"],
  [
    "a charge below the expected cost",
    [{ ...complete, reportsCost: false, costNanoUsd: undefined, expectedNanoUsd: 6_000n }],
    [charged],
    ["req_1"],
    "expected 6000",
  ],
  [
    "a charge for a free request",
    [{ ...complete, reportsCost: false, costNanoUsd: undefined }],
    [charged],
    ["req_1"],
    "it is free",
  ],
  [
    "a cost that is not reported",
    [{ ...complete, costNanoUsd: undefined }],
    [],
    ["req_1"],
    "reports no",
  ],
  [
    "an uncollected amount of a rich customer",
    [{ ...complete, reportsCost: false, costNanoUsd: undefined, expectedNanoUsd: 5_000n }],
    [{ ...charged, amountNanoUsd: 0n, uncollectedNanoUsd: 5_000n }],
    ["req_1"],
    "5000 uncollected",
  ],
  [
    "a charge for a provider's failure",
    [{ ...complete, outcome: "refused", status: 502 }],
    [charged],
    ["req_1"],
    "502, but charged",
  ],
  [
    "two entries for a broken stream",
    [{ ...complete, outcome: "broken" }],
    [charged, { ...charged, eventId: "req_9" }],
    ["req_1"],
    "2 entries",
  ],
  [
    "a charge far above the bound of a disconnected stream",
    [{ ...complete, outcome: "disconnected" }],
    [{ ...charged, amountNanoUsd: -5_000_000_000n }],
    ["req_1"],
    "disconnected, but charged",
  ],
  ["a charge for an unknown request", [], [charged], ["req_1"], "unknown requests"],
  [
    "a charge for a refusal",
    [{ ...complete, outcome: "refused", status: 402 }],
    [charged],
    ["req_1"],
    "402, but charged",
  ],
  ["a response without a provider call", [complete], [charged], [], "never called"],
  ["a charge without a provider call", [], [charged], ["req_2"], "generated nothing"],
  [
    "a key charged twice",
    [],
    [keyedCharge, { ...keyedCharge, eventId: "req_2" }],
    ["req_1"],
    "charged twice",
  ],
])("%s is a violation", (_name, observations, entries, generated, problem) => {
  const { violations } = judge(observations, entries, calls(...generated));
  expect(violations.join("\n")).toContain(problem);
});

test.each([
  ["client_disconnected", []],
  ["failed", ["req_1: charged, but the provider generated nothing"]],
] as const)("a prompt whose stream had no response (%s) is charged where its client left", (outcome, violations) => {
  const left = { ...complete, outcome: "disconnected" } as const;
  const log = createCallLog();
  const call = { at: 0, route: "/", model: "m", stream: true, user: null, authorized: false };
  const recorded = log.record({ ...call, requestId: "req_1", body: undefined });
  Object.assign(recorded, { outcome, promptTokens: 9 });
  expect(judge([left], [charged], log.list()).violations).toEqual(violations);
});

test("a charge for a lost response is counted, one after a disconnect is not", () => {
  const lost = { ...complete, outcome: "broken" } as const;
  expect(judge([lost], [charged], calls("req_1"))).toMatchObject({
    violations: [],
    chargedWithoutResponse: 1,
  });
  expect(
    judge([{ ...lost, outcome: "disconnected" }], [charged], calls("req_1")).chargedWithoutResponse,
  ).toBe(0);
});

test("a second run under a key refers to the charge of the first", () => {
  const second = { ...keyedCharge, eventId: "req_2", requestId: "req_2", amountNanoUsd: 0n };
  const retried = { ...complete, requestId: "req_2", attempts: 2 };
  const { violations } = judge([retried], [keyedCharge, second], calls("req_1", "req_2"));
  expect(violations).toEqual([]);
});
