import fc from "fast-check";
import { expect, test } from "vitest";
import { createPartHeaders, formBoundary } from "./part-headers.ts";

const body = Buffer.from(
  [
    "preamble",
    "--a b",
    'Content-Disposition: form-data; name="model"',
    "",
    "no delimiter:--a b",
    "--a",
    "--a b",
    'content-disposition: form-data; name="file"; filename="x; name=y"',
    "CONTENT-TYPE:  audio/L16; rate=16000 ",
    "",
    "\r\n\r\n--a",
    "--a b",
    "",
    "a part without headers",
    "--a b--",
    "content-type: epilogue/none",
    "",
    "",
  ].join("\r\n"),
);

function readInPieces(boundary: string, bytes: Buffer, places: readonly number[]) {
  const headers = createPartHeaders(boundary);
  let from = 0;
  for (const to of [...places, bytes.length]) {
    headers.push(bytes.subarray(from, to));
    from = to;
  }
  return headers;
}

const cutsOf = (bytes: Buffer) =>
  fc.array(fc.nat(bytes.length), { maxLength: 40 }).map((all) => all.sort((a, b) => a - b));

test("tells every part's content type, however the body is cut into chunks", () => {
  const property = fc.property(cutsOf(body), (places) => {
    const headers = readInPieces("a b", body, places);
    expect(headers.fault).toBeUndefined();
    expect(headers.contentTypes).toEqual([undefined, "audio/L16; rate=16000", undefined]);
  });
  fc.assert(property);
});

test("a boundary of dashes is found among others, however the body is cut", () => {
  const dashes = Buffer.from("-----\r\nContent-Type: a/b\r\n\r\nx------- ---\r\n-------");
  const property = fc.property(cutsOf(dashes), (places) => {
    const headers = readInPieces("---", dashes, places);
    expect(headers.fault).toBeUndefined();
    expect(headers.contentTypes).toEqual(["a/b"]);
  });
  fc.assert(property);
});

const disposition = "Content-Disposition: form-data; name=a";

test.each([
  ["a boundary behind a bare line feed", `--b\r\n${disposition}\r\n\r\nx\n--b--`, "line end"],
  ["a boundary behind a bare return", `--b\r\n${disposition}\r\n\r\nx\r--b--`, "line end"],
  ["a boundary right behind headers", `--b\r\n${disposition}\r\n\r\n--b--`, "line end"],
  ["a boundary before the first line's end", "x\n--b\r\n\r\nx", "line end"],
  ["padding", `--b \r\n${disposition}\r\n\r\nx\r\n--b--`, "white space"],
  ["a boundary that goes on", `--bb\r\n${disposition}\r\n\r\nx\r\n--b--`, "end with its line"],
  ["two dispositions", `--b\r\n${disposition}\r\n${disposition}\r\n\r\nx\r\n--b--`, "twice"],
  ["two types", "--b\r\nContent-Type: a/b\r\ncontent-type : a/c\r\n\r\nx\r\n--b--", "twice"],
  ["two names", `--b\r\n${disposition}; Name="b"\r\n\r\nx\r\n--b--`, "two names"],
  ["an encoded name", `--b\r\n${disposition}; name*=utf-8''b\r\n\r\nx\r\n--b--`, "two names"],
  ["a folded second name", `--b\r\n${disposition};\r\n name=b\r\n\r\nx\r\n--b--`, "two names"],
  ["half a line end in headers", `--b\r\n${disposition}\nX: y\r\n\r\nx\r\n--b--`, "broken headers"],
  ["a type that is no text", "--b\r\nContent-Type: a/\x01\r\n\r\nx\r\n--b--", "no text"],
  ["headers without an end", `--b\r\n${"X: y\r\n".repeat(3_000)}`, "too long headers"],
])("%s is a fault, however the body is cut", (_, text, fault) => {
  const bytes = Buffer.from(text, "latin1");
  const property = fc.property(cutsOf(bytes), (places) => {
    expect(readInPieces("b", bytes, places).fault).toContain(fault);
  });
  fc.assert(property, { numRuns: 30 });
});

test("headers are read once: minutes would go where each space is tried as the last", () => {
  const spaces = `Content-Type: a${" ".repeat(15_000)}b`;
  const headers = createPartHeaders("b");
  for (let count = 0; count < 100; count += 1) {
    headers.push(Buffer.from(`--b\r\n${spaces}\r\n\r\nx\r\n`));
  }
  expect(headers.contentTypes).toHaveLength(100);
});

test.each([
  ["multipart/form-data; boundary=b; x=y", "b"],
  ["multipart/form-data; x-boundary=other; boundary=b", "b"],
  ['multipart/form-data; x="; boundary=other"; Boundary = "b"', "b"],
  ["Multipart/Form-Data;boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW", undefined],
  ['multipart/form-data; boundary="\'()+_,-./:=? x"', "'()+_,-./:=? x"],
])("the boundary is that parameter's own value: %s", (type, boundary) => {
  expect(formBoundary(type)).toBe(boundary ?? "----WebKitFormBoundary7MA4YWxkTrZu0gW");
});

test.each([
  "multipart/form-data",
  "multipart/form-data; boundary=",
  'multipart/form-data; boundary="x\\;y"',
  'multipart/form-data; boundary="\\b"',
  "multipart/form-data; boundary=b; boundary=c",
  "multipart/form-data; boundary=b; boundary*=utf-8''c",
  "multipart/form-data; boundary*0=b; boundary*1=c",
  "multipart/form-data; boundary=b c",
  'multipart/form-data; boundary="b "',
  "multipart/form-data; boundary=b, multipart/form-data; x=c",
  `multipart/form-data; boundary=${"b".repeat(71)}`,
  "multipart/form-data boundary=b; x=y",
])("an ambiguous boundary is refused: %s", (type) => {
  expect(formBoundary(type)).toBeUndefined();
});
