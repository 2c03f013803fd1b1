import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { rejectMalformedHttp } from "./error-response.ts";

test.each([
  ["HPE_INVALID_METHOD", "not well-formed"],
  ["ERR_HTTP_REQUEST_TIMEOUT", "in the time"],
])("%s has its own message", (code, words) => {
  const socket = new PassThrough();
  let text = "";
  socket.on("data", (part) => {
    text += String(part);
  });
  rejectMalformedHttp(Object.assign(new Error(), { code }), socket);
  expect(text).toMatch(/^HTTP\/1\.1 400 .*\r\nx-request-id: req_/);
  expect(text).toContain(words);
});
