import { expect, test } from "vitest";
import { newCodeText, normalizeCode } from "./code-text.ts";

test("codes differ, and have no letters that look like others", () => {
  const codes = Array.from({ length: 100 }, newCodeText);
  expect(new Set(codes).size).toBe(100);
  for (const code of codes)
    expect(code).toMatch(/^([2-9A-HJKMNP-TV-Z]{5}-){3}[2-9A-HJKMNP-TV-Z]{5}$/);
});

test("a code may be typed in small letters, with spaces and without dashes", () => {
  expect(normalizeCode(" 7kq2m xw9da-c4trnh8efb ")).toBe("7KQ2MXW9DAC4TRNH8EFB");
});
