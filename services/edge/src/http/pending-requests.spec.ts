import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createLog } from "@tollgate/core/log";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import { expect, onTestFinished, test, vi } from "vitest";
import { sendBodyTimeout } from "./error-response.ts";
import { createPendingRequests } from "./pending-requests.ts";
import { readBody } from "./read-body.ts";
import type { RequestBody } from "./request-body.ts";
import { createRequestContext, type RequestContext } from "./request-context.ts";

const log = createLog("silent");
const metrics = createMetrics();

/** Starts a server; returns how to connect to it. */
async function serve(
  respond: (context: RequestContext) => void,
  { leaving = new AbortController().signal, stallMs = 30_000, graceMs = 60_000 },
): Promise<() => Socket> {
  const onBodyTimeout = sendBodyTimeout;
  const pending = createPendingRequests({ leaving, onBodyTimeout, stallMs, graceMs });
  const options = { log, metrics, pending, refusals: { add() {} }, knows: () => false };
  const server = createServer((req, res) => respond(createRequestContext(options, req, res)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    return pending.stop();
  });
  return () => connect((server.address() as AddressInfo).port, "127.0.0.1");
}

const head = "POST / HTTP/1.1\r\nhost: x\r\n";

test.each([
  ["with a length", `${head}content-length: 100\r\n\r\n{`],
  ["in chunks", `${head}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`],
])("a body %s whose client stops sending it is refused", async (_, request) => {
  const open = await serve((context) => void readBody(context, { grow() {} }).catch(() => {}), {
    stallMs: 120,
  });
  const client = open();
  client.write(request);
  const [response] = await once(client, "data");
  expect(String(response)).toMatch(/^HTTP\/1\.1 400 /);
  expect(String(response)).toContain("x-request-id: req_");
  expect(String(response)).toContain("not received in the time allowed");
});

/** Resolves with what a connection has received once it is closed, also by a reset while the client sends. */
async function receivedBy(client: Socket): Promise<string> {
  let received = "";
  client.on("data", (data) => {
    received += String(data);
  });
  client.on("error", () => {});
  await new Promise((resolve) => client.once("close", resolve));
  return received;
}

/** Sends a request and a part of its body at an interval, until the connection closes. */
function trickle(client: Socket, request: string, part: string, intervalMs: number): void {
  client.write(request);
  const timer = setInterval(() => client.write(part), intervalMs);
  client.once("close", () => clearInterval(timer));
}

test("a body that arrives without a pause, but takes for ever, is refused", async () => {
  const open = await serve((context) => void readBody(context, { grow() {} }).catch(() => {}), {
    graceMs: 240,
  });
  const client = open();
  trickle(client, `${head}content-length: 100000\r\n\r\n`, "x", 20);
  const response = await receivedBy(client);
  expect(response).toMatch(/^HTTP\/1\.1 400 /);
  expect(response).toContain("connection: close");
  expect(response).toContain("not received in the time allowed");
});

test("a large body may take longer than a small one", async () => {
  // A busy machine may send no part for longer than the grace.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const [graceMs, parts, intervalMs] = [300, 12, 40];
  const part = "x".repeat(1_024);
  const received = Promise.withResolvers<RequestBody>();
  let bytesRead = () => 0;
  const open = await serve(
    (context) => {
      bytesRead = () => context.req.socket.bytesRead;
      received.resolve(readBody(context, { grow() {} }));
    },
    { graceMs },
  );
  const client = open();
  const length = parts * part.length;
  let sent = `${head}content-length: ${length}\r\n\r\n`;
  client.write(sent);
  for (let count = 0; count < parts; count += 1) {
    client.write(part);
    sent += part;
    while (bytesRead() < sent.length) await nextTurn();
    vi.advanceTimersByTime(intervalMs);
  }
  expect((await received.promise).byteLength).toBe(length);
});

test("what arrives of a body after its refusal is not read", async () => {
  const read = Promise.withResolvers<RequestBody>();
  const open = await serve((context) => read.resolve(readBody(context, { grow() {} })), {
    stallMs: 60,
  });
  const client = open();
  client.on("error", () => {});
  client.write(`${head}content-length: 2\r\n\r\n{`);
  await Promise.all([
    expect(read.promise).rejects.toMatchObject({ code: "invalid_json" }),
    once(client, "data").then(() => client.write("}")),
    once(client, "close"),
  ]);
});

test("a body that the gateway does not read yet is not timed out", async () => {
  const stallMs = 60;
  const contexts: RequestContext[] = [];
  const open = await serve((context) => void contexts.push(context), { stallMs });
  const client = open();
  client.write(`${head}content-length: 2\r\n\r\n{`);
  const late = performance.now() + 4 * stallMs;
  const timer = setInterval(() => {
    if (performance.now() < late || contexts[0] === undefined) return;
    clearInterval(timer);
    contexts[0].res.end("in time");
  }, 10);
  expect(String((await once(client, "data"))[0])).toContain("in time");
});

test("a connection whose request never sends its body is closed after the response", async () => {
  const open = await serve(({ res }) => void res.end("ok"), {});
  const client = open();
  client.write(`${head}content-length: 10\r\n\r\n`);
  expect(await text(client)).toContain("ok");
});

test("a server that is leaving closes connections after their responses", async () => {
  const leaving = new AbortController();
  const slow = Promise.withResolvers<ServerResponse>();
  const open = await serve(
    ({ req, res }) => void (req.url === "/slow" ? slow.resolve(res) : res.end("ok")),
    { leaving: leaving.signal },
  );
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
  const [idle, pending, late] = [open(), open(), open()];
  idle.write(get("/"));
  pending.write(get("/slow"));
  const [[response]] = await Promise.all([once(idle, "data"), once(late, "connect")]);
  expect(String(response)).toContain("Connection: keep-alive");
  const begun = await slow.promise;
  leaving.abort();
  begun.end("slow");
  late.write(get("/"));
  idle.write(get("/"));
  for (const response of await Promise.all([pending, late, idle].map((client) => text(client)))) {
    expect(response).toContain("Connection: close");
  }
});

test("a request is collected with the young generation once it has ended", async () => {
  // In a process of its own, since what the test runner allocates would be measured as well.
  const script = new URL("../../test/kept-requests.ts", import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(script)]);
  expect(Number(stdout)).toBeLessThan(4_000_000);
});
