import { expect, test } from "vitest";
import { csvText, csvUsd } from "./csv-text.ts";

test("cells with commas, quotes and line breaks are quoted", () => {
  const rows = [
    ["1,5", 'say "hi"'],
    ["x\ny", "plain"],
  ];
  expect(csvText(rows)).toBe('"1,5","say ""hi"""\n"x\ny",plain\n');
});

test("a name that looks like a formula is text, and a negative number stays a number", () => {
  expect(csvText([["=SUM(A1)"], ["@x"], ["-x"], ["-12.5"]])).toBe("'=SUM(A1)\n'@x\n'-x\n-12.5\n");
});

test.each([
  "\n=1+1",
  "\t=1+1",
  "\r=1+1",
  "＝1+1",
  "＋1",
  "－1",
  "＠x",
])("a name that begins with %j is text", (name) => {
  expect(csvText([[name]])).toMatch(/^"?'/);
});

test("amounts are exact, also of negative and of whole ones", () => {
  expect([-1_000n, 750n, 0n, 12_500_000_000n].map(csvUsd)).toEqual([
    ...["-0.000001", "0.00000075", "0", "12.5"],
  ]);
});
