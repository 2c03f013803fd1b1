import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { answerBrokenHttp } from "./error-answer.ts";

test.each([
  ["HPE_INVALID_METHOD", "not well-formed"],
  ["ERR_HTTP_REQUEST_TIMEOUT", "in the time"],
])("%s is told as what it is", (code, words) => {
  const socket = new PassThrough();
  let text = "";
  socket.on("data", (part) => {
    text += String(part);
  });
  answerBrokenHttp(Object.assign(new Error(), { code }), socket);
  expect(text).toMatch(/^HTTP\/1\.1 400 .*\r\nx-request-id: req_/);
  expect(text).toContain(words);
});
