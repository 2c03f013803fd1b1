import { expect, test } from "vitest";
import { countPages, estimatePages } from "./document-pages.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const padding = " ".repeat(300_000);

test("the pages of a PDF are those that it declares, whatever its size", () => {
  const pdf = base64(`%PDF-1.7\n${padding}/Type /Page\n${padding}/Type /Page /Type /Pages`);
  expect(countPages(pdf)).toBe(2);
  expect(estimatePages(pdf)).toBe(19);
});

test("a document whose pages are not counted has a page for each 32 KiB, from 1 to 1,000", () => {
  expect([countPages(""), countPages(base64("text"))]).toEqual([1, 1]);
  expect(countPages(base64("x".repeat(65_537)))).toBe(3);
  expect(estimatePages("A".repeat(60_000_000))).toBe(1_000);
});
