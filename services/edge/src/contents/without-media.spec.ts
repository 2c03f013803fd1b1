import { expect, test } from "vitest";
import { withoutMedia } from "./without-media.ts";

const image = Buffer.alloc(3_000, "image").toString("base64");
const many = 1_000_000;

function read(value: unknown, maxBytes = many) {
  const { text, isCut } = withoutMedia(Buffer.from(JSON.stringify(value)), maxBytes);
  return { text: text.toString(), isCut };
}

test("text is returned as it is, whatever its length and its signs", () => {
  for (const content of ["short", 'he said "yes"', "words and words ".repeat(1_000), "é\\u0000"]) {
    expect(read({ content })).toEqual({ text: JSON.stringify({ content }), isCut: false });
  }
});

test("a note stands for images, with and without the head of a data URL", () => {
  for (const url of [image, `data:image/png;base64,${image}`]) {
    const { text, isCut } = read({ before: "one", url, after: "two" });
    expect(JSON.parse(text)).toEqual({
      before: "one",
      url: `[media, ${url.length} bytes of base64, not stored]`,
      after: "two",
    });
    expect(isCut).toBe(false);
  }
});

test("a text that is too long is cut, and media do not count", () => {
  expect(read({ content: "x y ".repeat(100) }, 50)).toEqual({
    text: JSON.stringify({ content: "x y ".repeat(100) }).slice(0, 50),
    isCut: true,
  });
  expect(read({ image, content: "short" }, 200).isCut).toBe(false);
});
