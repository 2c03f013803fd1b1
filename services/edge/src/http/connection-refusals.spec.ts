import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { createLog } from "@tollgate/core/log";
import { expect, test, vi } from "vitest";
import type { Refusals } from "../refusals/refusals.ts";
import { createConnectionRefusals } from "./connection-refusals.ts";

function start() {
  const socket = new PassThrough() as PassThrough & Socket;
  const written: string[] = [];
  socket.on("data", (part) => written.push(String(part)));
  const add = vi.fn<Refusals["add"]>();
  const metrics = { requests: { inc: vi.fn() }, requestDuration: { observe: vi.fn() } };
  const refusals = createConnectionRefusals({
    ...{ log: createLog("silent"), refusals: { add } },
    metrics: metrics as unknown as Parameters<typeof createConnectionRefusals>[0]["metrics"],
  });
  const sentId = () => /\r\nx-request-id: (req_\w+)\r\n/.exec(written.join(""))?.[1];
  return { socket, refusals, add, metrics, sentId, text: () => written.join("") };
}

test.each([
  ["HPE_INVALID_METHOD", "not well-formed"],
  ["ERR_HTTP_REQUEST_TIMEOUT", "in the time"],
])("%s has its own message, and a record under the id that the client is sent", (code, words) => {
  const { socket, refusals, add, metrics, sentId, text } = start();
  refusals.rejectMalformed(Object.assign(new Error(), { code }), socket);
  expect(text()).toMatch(/^HTTP\/1\.1 400 /);
  expect(text()).toContain(words);
  const [[request, failure] = []] = add.mock.calls;
  expect(request?.requestId).toBe(sentId());
  expect(failure).toMatchObject({ status: 400, code: "invalid_json" });
  expect(metrics.requests.inc).toHaveBeenCalledWith({ route: "unknown", alias: "", status: 400 });
});

test("CONNECT is refused and recorded", () => {
  const { socket, refusals, add, sentId, text } = start();
  refusals.rejectConnect(new IncomingMessage(socket), socket);
  expect(text()).toMatch(/^HTTP\/1\.1 404 /);
  expect(add.mock.calls[0]?.[0].requestId).toBe(sentId());
});

test("a connection that has closed has no record", () => {
  const { socket, refusals, add } = start();
  socket.destroy();
  refusals.rejectMalformed(Object.assign(new Error(), { code: "ECONNRESET" }), socket);
  expect(add).not.toHaveBeenCalled();
});
