import { expect, test } from "vitest";
import { PageCounter } from "./document-pages.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const countPages = (data: string) => new PageCounter().pagesOf(data);
const padding = " ".repeat(300_000);

test("the pages of a PDF are those that it declares, whatever its size", () => {
  const pdf = base64(`%PDF-1.7\n${padding}/Type /Page\n${padding}/Type /Page /Type /Pages`);
  expect(countPages(pdf)).toBe(2);
});

test("a document whose pages are not counted has a page for each 32 KiB, from 1 to 1,000", () => {
  expect([countPages(""), countPages(base64("text"))]).toEqual([1, 1]);
  expect(countPages(base64("x".repeat(65_537)))).toBe(3);
  expect(countPages("A".repeat(60_000_000))).toBe(1_000);
});

test("characters that decoders leave out hide no pages, nor does either alphabet, nor padding", () => {
  const pdf = `%PDF-1.7\n${"/Type /Page ".repeat(3)}${padding}${"/Type /Page ".repeat(40)}`;
  const text = base64(pdf);
  const lines = text.replace(/.{76}/g, "$&\r\n");
  const odd = ["\n", "\u00e9", "\u2028", "=", "==", "=\n", "-", "_", "=-"];
  for (const character of odd) expect(countPages(insert(text, character))).toBe(43);
  expect([countPages(lines), countPages(insert(lines, "*"))]).toEqual([43, 43]);
  expect(countPages(Buffer.from(`%PDF-1.7\xff\xfe\n${pdf}`, "latin1").toString("base64url"))).toBe(
    43,
  );
  expect(countPages(`${base64("%PDF-1.7\n!")}${base64(pdf)}`)).toBe(43);
  const parameters = `;name=${"x".repeat(290)}`.repeat(4);
  expect(new PageCounter().pagesOf(`data:application/pdf${parameters};base64,${text}`)).toBe(43);
});

test("a document beyond 2 MiB has the pages of its head and its tail, or more by its size", () => {
  const blank = " ".repeat(2_100_000);
  const marks = "/Type /Page ".repeat(400);
  const pages = (pdf: string, character = "") => countPages(insert(base64(pdf), character));
  expect([pages(`%PDF-1.7\n${marks}${blank}`), pages(`%PDF-1.7\n${blank}`)]).toEqual([400, 65]);
  for (const shift of ["", "\n", "A", "AA", "AAA"]) {
    expect(pages(`%PDF-1.7\n/Type /Page ${blank}${marks}`, shift)).toBe(401);
  }
  expect(pages(`%PDF-1.7\n${blank}`, "=-")).toBe(100);
});

test("a document that follows a large one has its pages by its size at least", () => {
  const counter = new PageCounter();
  counter.pagesOf(base64(`%PDF-1.7\n/Type /Page ${" ".repeat(1_500_000)}`));
  const small = base64(`%PDF-1.7\n${"/Type /Page ".repeat(50)}${" ".repeat(100_000)}`);
  expect([counter.pagesOf(small), counter.pagesOf(small)]).toEqual([50, 4]);
});

/** Puts characters into a text, at a place that is no multiple of 4. */
function insert(text: string, characters: string): string {
  return `${text.slice(0, 2_001)}${characters}${text.slice(2_001)}`;
}
