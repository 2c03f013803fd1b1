import { PeerError } from "@tollgate/core/errors";
import { expect, test } from "vitest";
import { endedByCaller } from "./ended-by-caller.ts";

test.each([
  ["cancelled", true],
  ["deadline", true],
  ["unavailable", false],
  ["draining", false],
] as const)("a call that was aborted as %s ended by its caller: %s", (reason, expected) => {
  const signal = AbortSignal.abort(new PeerError(reason, "it ended"));
  expect(endedByCaller(signal)).toBe(expected);
});

test("neither a call in progress nor one of another error ended by its caller", () => {
  expect(endedByCaller(new AbortController().signal)).toBe(false);
  expect(endedByCaller(AbortSignal.abort(new Error("a bug")))).toBe(false);
});
