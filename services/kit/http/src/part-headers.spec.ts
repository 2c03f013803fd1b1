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

function readInChunks(boundary: string, bytes: Buffer, places: readonly number[]) {
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

test("the content type of every part is read, in any chunks", () => {
  const property = fc.property(cutsOf(body), (places) => {
    const headers = readInChunks("a b", body, places);
    expect(headers.fault()).toBeUndefined();
    expect(headers.contentTypes).toEqual([undefined, "audio/L16; rate=16000", undefined]);
    const starts = ["no delimiter:", "\r\n\r\n--a\r\n--a b", "a part without headers"];
    expect(headers.offsets).toHaveLength(starts.length);
    for (const [index, start] of starts.entries()) {
      expect(body.subarray(headers.offsets[index]).indexOf(start)).toBe(0);
    }
  });
  fc.assert(property);
});

test("a boundary of dashes is found among other dashes, in any chunks", () => {
  const dashes = Buffer.from("-----\r\nContent-Type: a/b\r\n\r\nx------- ---\r\n-------");
  const property = fc.property(cutsOf(dashes), (places) => {
    const headers = readInChunks("---", dashes, places);
    expect(headers.fault()).toBeUndefined();
    expect(headers.contentTypes).toEqual(["a/b"]);
  });
  fc.assert(property);
});

const disposition = "Content-Disposition: form-data; name=a";

test.each([
  ["a boundary after a bare line feed", `--b\r\n${disposition}\r\n\r\nx\n--b--`, "line end"],
  ["a boundary after a bare carriage return", `--b\r\n${disposition}\r\n\r\nx\r--b--`, "line end"],
  ["a boundary directly after headers", `--b\r\n${disposition}\r\n\r\n--b--`, "line end"],
  ["a boundary before the first line's end", "x\n--b\r\n\r\nx", "line end"],
  ["padding", `--b \r\n${disposition}\r\n\r\nx\r\n--b--`, "white space"],
  [
    "text after a boundary",
    `--bb\r\n${disposition}\r\n\r\nx\r\n--b--`,
    "not followed by a line end",
  ],
  [
    "two dispositions",
    `--b\r\n${disposition}\r\n${disposition}\r\n\r\nx\r\n--b--`,
    "two Content-Disposition",
  ],
  [
    "two types",
    "--b\r\nContent-Type: a/b\r\ncontent-type : a/c\r\n\r\nx\r\n--b--",
    "two Content-Type",
  ],
  ["two names", `--b\r\n${disposition}; Name="b"\r\n\r\nx\r\n--b--`, "two names"],
  ["an encoded name", `--b\r\n${disposition}; name*=utf-8''b\r\n\r\nx\r\n--b--`, "two names"],
  ["a folded second name", `--b\r\n${disposition};\r\n name=b\r\n\r\nx\r\n--b--`, "two names"],
  ["half a line end in headers", `--b\r\n${disposition}\nX: y\r\n\r\nx\r\n--b--`, "broken headers"],
  [
    "a type that is not ASCII text",
    "--b\r\nContent-Type: a/\x01\r\n\r\nx\r\n--b--",
    "not plain ASCII",
  ],
  [
    "headers without an end",
    `--b\r\n${"X: y\r\n".repeat(3_000)}`,
    "headers of one of its parts are too long",
  ],
])("%s is a fault, in any chunks", (_, text, fault) => {
  const bytes = Buffer.from(text, "latin1");
  const property = fc.property(cutsOf(bytes), (places) => {
    expect(readInChunks("b", bytes, places).fault()).toContain(fault);
  });
  fc.assert(property, { numRuns: 30 });
});

test("long headers are read in linear time", () => {
  // A pattern that tries each space as the last one would take minutes.
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
])("the boundary is the value of the boundary parameter: %s", (type, boundary) => {
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
