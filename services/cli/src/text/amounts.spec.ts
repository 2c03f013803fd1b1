import { expect, test } from "vitest";
import { readSignedUsd, shortUsd } from "./amounts.ts";

test("an adjustment may have a sign", () => {
  expect(["-1.25", "+1.25", "1.25"].map((text) => readSignedUsd(text, "USD"))).toEqual([
    -1_250_000_000n,
    1_250_000_000n,
    1_250_000_000n,
  ]);
  for (const text of ["--1", "1-", "+", "1.2500001"]) {
    expect(() => readSignedUsd(text, "USD")).toThrow("USD must be an amount");
  }
});

test("amounts are short in tables, and have their cents", () => {
  const short = [0n, 5_000_000_000n, 1_250_000_000n, 120_400_000n, 1_000n].map(shortUsd);
  expect(short).toEqual(["0.00", "5.00", "1.25", "0.1204", "0.000001"]);
});
