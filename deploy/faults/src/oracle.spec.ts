import { createCallLog, type RecordedCall } from "@tollgate/simulator/call-log";
import { expect, test } from "vitest";
import type { LedgerEntry } from "./books.ts";
import { judge } from "./oracle.ts";
import type { Told } from "./told.ts";

const answered: Told = {
  family: "chat",
  customer: { accountId: "a", key: "k", isRich: true },
  ended: "whole",
  status: 200,
  requestId: "req_1",
  attempts: 1,
  nameless: 0,
  tellsCost: true,
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
  const journal = createCallLog();
  const about = { at: 0, route: "/", model: "m", stream: false, user: null, authorized: false };
  for (const requestId of requestIds) {
    journal.record({ ...about, requestId, body: undefined }).status = 200;
  }
  return journal.list();
}

test("what was told, charged and generated agrees", () => {
  expect(judge([answered], [charged], calls("req_1"))).toEqual({
    violations: [],
    chargedUnanswered: 0,
    chargedNanoUsd: 5_000n,
  });
});

const keyedCharge = { ...charged, chargeId: "c", chargedForKey: 5_000n };

test.each<[string, Told[], LedgerEntry[], string[], string]>([
  ["a lost entry", [answered], [], ["req_1"], "has 0 entries"],
  ["two entries", [answered], [charged, charged], ["req_1"], "has 2 entries"],
  ["another cost", [answered], [{ ...charged, amountNanoUsd: -1n }], ["req_1"], "told 5000"],
  [
    "less than is owed",
    [{ ...answered, tellsCost: false, costNanoUsd: undefined, owedNanoUsd: 6_000n }],
    [charged],
    ["req_1"],
    "owes 6000",
  ],
  [
    "a charge for what is free",
    [{ ...answered, tellsCost: false, costNanoUsd: undefined }],
    [charged],
    ["req_1"],
    "costs nothing",
  ],
  [
    "a cost that is not named",
    [{ ...answered, costNanoUsd: undefined }],
    [],
    ["req_1"],
    "names no",
  ],
  [
    "what the rich do not pay",
    [{ ...answered, tellsCost: false, costNanoUsd: undefined, owedNanoUsd: 5_000n }],
    [{ ...charged, amountNanoUsd: 0n, uncollectedNanoUsd: 5_000n }],
    ["req_1"],
    "5000 uncollected",
  ],
  [
    "a charge for a provider's failure",
    [{ ...answered, ended: "refused", status: 502 }],
    [charged],
    ["req_1"],
    "502, yet charged",
  ],
  [
    "two entries for a stream that broke",
    [{ ...answered, ended: "broken" }],
    [charged, { ...charged, eventId: "req_9" }],
    ["req_1"],
    "2 entries",
  ],
  [
    "far too much for a stream that was left",
    [{ ...answered, ended: "left" }],
    [{ ...charged, amountNanoUsd: -5_000_000_000n }],
    ["req_1"],
    "left, and charged",
  ],
  ["a charge for nobody's request", [], [charged], ["req_1"], "nobody made"],
  [
    "a charge for a refusal",
    [{ ...answered, ended: "refused", status: 402 }],
    [charged],
    ["req_1"],
    "402, yet charged",
  ],
  ["an answer of nobody's", [answered], [charged], [], "never asked"],
  ["a charge for nothing", [], [charged], ["req_2"], "generated nothing"],
  [
    "a key charged twice",
    [],
    [keyedCharge, { ...keyedCharge, eventId: "req_2" }],
    ["req_1"],
    "charged twice",
  ],
])("%s is seen", (_name, told, entries, generated, problem) => {
  const { violations } = judge(told, entries, calls(...generated));
  expect(violations.join("\n")).toContain(problem);
});

test("an answer that was lost on its way is counted, one that was left is not", () => {
  const lost = { ...answered, ended: "broken" } as const;
  expect(judge([lost], [charged], calls("req_1"))).toMatchObject({
    violations: [],
    chargedUnanswered: 1,
  });
  expect(judge([{ ...lost, ended: "left" }], [charged], calls("req_1")).chargedUnanswered).toBe(0);
});

test("a second run under a key refers to the charge of the first", () => {
  const second = { ...keyedCharge, eventId: "req_2", requestId: "req_2", amountNanoUsd: 0n };
  const told = { ...answered, requestId: "req_2", attempts: 2 };
  const { violations } = judge([told], [keyedCharge, second], calls("req_1", "req_2"));
  expect(violations).toEqual([]);
});
