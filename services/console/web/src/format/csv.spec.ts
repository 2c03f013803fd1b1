import { expect, test } from "vitest";
import { toCsv } from "./csv.ts";

test("cells with commas, quotes and line breaks are quoted", () => {
  expect(
    toCsv(
      ["a", "b"],
      [
        ["1,5", 'say "hi"'],
        ["x\ny", "plain"],
      ],
    ),
  ).toBe('a,b\r\n"1,5","say ""hi"""\r\n"x\ny",plain\r\n');
});

test("a name that looks like a formula is text, and a negative number stays a number", () => {
  expect(toCsv(["n"], [["=SUM(A1)"], ["@x"], ["-12.5"]])).toBe(
    "n\r\n'=SUM(A1)\r\n'@x\r\n-12.5\r\n",
  );
});
