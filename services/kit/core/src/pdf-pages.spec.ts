import fc from "fast-check";
import { expect, test } from "vitest";
import { createPdfPages } from "./pdf-pages.ts";

function count(text: string, cuts: readonly number[] = []): number | undefined {
  const bytes = Buffer.from(text, "latin1");
  const pages = createPdfPages();
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    pages.push(bytes.subarray(from, to));
    from = to;
  }
  return pages.count();
}

const page = "1 0 obj <</Type /Page /Parent 9 0 R>> endobj\n";

test("page objects are counted, however the file is split into chunks", () => {
  const text = `%PDF-1.7\n${page}${"x".repeat(200)}${page}<</Type/Page>>${"y".repeat(90)}`;
  const cuts = fc.array(fc.nat(text.length), { maxLength: 30 });
  fc.assert(
    fc.property(cuts, (places) => {
      expect(
        count(
          text,
          [...places].sort((left, right) => left - right),
        ),
      ).toBe(3);
    }),
  );
});

test("the count of the page tree is used when it is larger", () => {
  expect(count(`%PDF-1.4 ${page}<</Type /Pages /Count 12 /Kids []>>`)).toBe(12);
});

test("the counts of bookmarks are no pages, however the file is split into chunks", () => {
  const outlines = "<</Type /Outlines /First 5 0 R /Last 90 0 R /Count 90>>";
  const item = "<</Title (a) /Parent 4 0 R /Count 70 /Last 9 0 R /First 8 0 R>>";
  const tree = `<</Kids [${"7 0 R ".repeat(200)}] /Type /Pages /Count 3>>`;
  const text = `%PDF-1.4 ${"z".repeat(400)}${outlines}${page}${item}${tree}${"x".repeat(900)}`;
  for (let cut = 0; cut < text.length; cut += 1) expect(count(text, [cut])).toBe(3);
  expect(count(text, [...Array(text.length).keys()])).toBe(3);
});

test("a page tree with the names of bookmarks is one", () => {
  expect(count("%PDF-1.4 <</Type /Pages /First 1 0 R /Last 1 0 R /Count 12>>")).toBe(12);
  expect(count("%PDF-1.4 <</First 1 /Last 1 /Kids [7 0 R] /Count 12>>")).toBe(12);
});

test("a page beside compressed objects does not make a count", () => {
  const packed = "<</Type /ObjStm /N 200>> stream";
  expect(count(`%PDF-1.5 ${page}${packed}`)).toBeUndefined();
  expect(count(`%PDF-1.5 ${packed} <</Type /Pages /Count 250 /Kids []>>`)).toBe(250);
});

test("a page tree is not a page", () => {
  expect(count("%PDF-1.4 <</Type /Pages>>")).toBeUndefined();
});

test("a file that is not a PDF, or has compressed pages, is not counted", () => {
  expect(count(page)).toBeUndefined();
  expect(count("%PDF-1.5 stream of packed objects")).toBeUndefined();
});

test("a PDF is recognized when it arrives in single bytes or starts with other bytes", () => {
  const bytes = Buffer.from(`\n${"#".repeat(900)}%PDF-1.4 ${page}${page}`);
  const pages = createPdfPages();
  for (const byte of bytes) pages.push(Buffer.of(byte));
  expect([pages.isPdf(), pages.count()]).toEqual([true, 2]);
});

test("a file with a PDF header far from its start is not a PDF", () => {
  const pages = createPdfPages();
  pages.push(Buffer.from(`\x89PNG${"#".repeat(2_000)}`));
  pages.push(Buffer.from(`%PDF-1.4 ${page}`));
  expect(pages.isPdf()).toBe(false);
});
