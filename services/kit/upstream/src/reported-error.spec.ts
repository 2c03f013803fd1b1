import { expect, test } from "vitest";
import { SlotFailure } from "./failure.ts";
import type { RefusalReader } from "./refusal.ts";
import { refuseReportedError } from "./reported-error.ts";

/** A kind whose code `no_money` is about the bill. */
const kind: RefusalReader = {
  refusalMessage: () => "It is about you.",
  reportedStatus: () => undefined,
  readRefusal: ({ body }) =>
    JSON.stringify(body).includes("no_money") ? { meaning: "key_or_bill" } : {},
};

test.each([
  undefined,
  null,
  false,
  "",
  [],
])("a response whose error is %j reports no error", (error) => {
  expect(() => refuseReportedError({ error }, kind)).not.toThrow();
});

test.each([
  ["overloaded", undefined, "trouble", true],
  [{}, undefined, "trouble", true],
  [[{ message: "no" }], undefined, "trouble", true],
  [{ code: "server_error" }, undefined, "trouble", true],
  [{ code: 7 }, undefined, "trouble", true],
  [{ code: 502 }, 502, "trouble", true],
  [{ code: 429 }, 429, "rate", true],
  [{ code: 400 }, 400, "bad_request", false],
  [{ code: "no_money" }, undefined, "key_or_bill", true],
] as const)("an error of %j means what its code says, else trouble", (error, status, meaning, passesOn) => {
  const failure = failureOf(() => refuseReportedError({ error }, kind));
  const said = meaning === "key_or_bill" ? "It is about you." : undefined;
  const hint = meaning === "bad_request" ? "It is about you." : undefined;
  expect(failure).toMatchObject({ status, meaning, passesOn, said, hint });
});

function failureOf(work: () => void): SlotFailure {
  try {
    work();
  } catch (error) {
    if (error instanceof SlotFailure) return error;
  }
  return expect.unreachable("it did not throw");
}
