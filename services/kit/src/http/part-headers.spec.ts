import fc from "fast-check";
import { expect, test } from "vitest";
import { createPartHeaders } from "./part-headers.ts";

const contentType = 'multipart/form-data; charset=utf-8; boundary="a b"';
const body = Buffer.from(
  [
    "preamble",
    "--a b",
    'Content-Disposition: form-data; name="model"',
    "",
    "--a b is not a delimiter here",
    "--a b",
    'content-disposition: form-data; name="file"; filename="x"',
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

test("tells every part's content type, however the body is cut into chunks", () => {
  const cuts = fc.array(fc.nat(body.length), { maxLength: 40 });
  const property = fc.property(cuts, (places) => {
    const headers = createPartHeaders(contentType);
    let from = 0;
    for (const to of [...places.sort((left, right) => left - right), body.length]) {
      headers.push(body.subarray(from, to));
      from = to;
    }
    expect(headers.contentTypes).toEqual([undefined, "audio/L16; rate=16000", undefined]);
  });
  fc.assert(property);
});

test("a boundary may stand without quotes", () => {
  const headers = createPartHeaders("multipart/form-data; boundary=b; x=y");
  headers.push(Buffer.from("--b\r\nContent-Type: a/b\r\n\r\nx\r\n--b--"));
  expect(headers.contentTypes).toEqual(["a/b"]);
});

test.each([
  "multipart/form-data; x-boundary=other; boundary=b",
  'multipart/form-data; x="; boundary=other"; Boundary = "b"',
  'multipart/form-data; boundary="\\b"',
])("the boundary is that parameter's own value: %s", (type) => {
  const headers = createPartHeaders(type);
  headers.push(Buffer.from("--b\r\nContent-Type: a/b\r\n\r\nx\r\n--b--"));
  expect(headers.contentTypes).toEqual(["a/b"]);
});
