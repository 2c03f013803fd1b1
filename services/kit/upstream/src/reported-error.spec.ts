import { expect, test } from "vitest";
import { SlotFailure } from "./failure.ts";
import { refuseReportedError } from "./reported-error.ts";

test.each([
  undefined,
  null,
  false,
  "",
  [],
])("a response whose error is %j reports no error", (error) => {
  expect(() => refuseReportedError({ error })).not.toThrow();
});

test.each<[unknown, number | undefined, boolean]>([
  ["overloaded", undefined, true],
  [{}, undefined, true],
  [[{ message: "no" }], undefined, true],
  [{ code: "server_error" }, undefined, true],
  [{ code: 502 }, 502, true],
  [{ code: 400 }, 400, false],
  [{ code: 7 }, undefined, true],
])("an error of %j is a failure that does not count against the slot", (error, status, passesOn) => {
  const failure = failureOf(() => refuseReportedError({ error }));
  expect(failure).toMatchObject({ status, passesOn, countsAgainstSlot: false });
});

function failureOf(work: () => void): SlotFailure {
  try {
    work();
  } catch (error) {
    if (error instanceof SlotFailure) return error;
  }
  return expect.unreachable("it did not throw");
}
