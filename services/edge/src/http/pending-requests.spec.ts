import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { createLog } from "@tollgate/core/log";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import { expect, onTestFinished, test } from "vitest";
import { sendBodyTimeout } from "./error-response.ts";
import { readBody } from "./json-body.ts";
import { createPendingRequests } from "./pending-requests.ts";
import { createRequestContext, type RequestContext } from "./request-context.ts";

const log = createLog("silent");
const metrics = createMetrics();

/** Starts a server; returns how to connect to it. */
async function serve(
  respond: (context: RequestContext) => void,
  { leaving = new AbortController().signal, stallMs = 30_000 },
): Promise<() => Socket> {
  const onStall = (context: RequestContext) => sendBodyTimeout(context, log);
  const pending = createPendingRequests({ leaving, onStall, stallMs });
  const options = { log, metrics, pending, knows: () => false };
  const server = createServer((req, res) => respond(createRequestContext(options, req, res)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return () => connect((server.address() as AddressInfo).port, "127.0.0.1");
}

const head = "POST / HTTP/1.1\r\nhost: x\r\n";

test.each([
  ["with a length", `${head}content-length: 100\r\n\r\n{`],
  ["in chunks", `${head}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`],
])("a body %s whose client stops sending it is refused", async (_, request) => {
  const open = await serve((context) => void readBody(context).catch(() => {}), { stallMs: 120 });
  const client = open();
  client.write(request);
  const [response] = await once(client, "data");
  expect(String(response)).toMatch(/^HTTP\/1\.1 400 /);
  expect(String(response)).toContain("x-request-id: req_");
  expect(String(response)).toContain("not received in the time allowed");
});

test("a body that arrives slowly is read to its end", async () => {
  const received = Promise.withResolvers<Buffer>();
  const open = await serve((context) => received.resolve(readBody(context)), { stallMs: 600 });
  const client = open();
  client.write(`${head}content-length: 10\r\n\r\n`);
  const timer = setInterval(() => client.write("x"), 100);
  onTestFinished(() => clearInterval(timer));
  expect(await received.promise).toHaveLength(10);
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
