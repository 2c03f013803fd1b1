import { expect, test } from "vitest";
import { printable } from "./printable.ts";

test("what a terminal would run is printed as escapes, and lines stay", () => {
  expect(printable("a\u001b[31mb\u0007\u009bc\r\n\td")).toBe(
    "a\\u001b[31mb\\u0007\\u009bc\\u000d\n\td",
  );
});

test("what turns the direction of the text around it is printed as escapes, and letters stay", () => {
  expect(printable("\u202egpj.exe \u2066שלום\u2069")).toBe("\\u202egpj.exe \\u2066שלום\\u2069");
});

test("JSON has the same value", () => {
  const value = { name: "\u001b[31m \u007f \u009b \u202e" };
  const text = printable(JSON.stringify(value));
  expect(text).toMatch(/^[ -~]*$/);
  expect(JSON.parse(text)).toEqual(value);
});
