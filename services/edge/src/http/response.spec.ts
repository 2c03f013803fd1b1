import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { createLog } from "@tollgate/core/log";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import { afterEach, expect, test, vi } from "vitest";
import { createResponseCollector } from "../idempotency/response-collector.ts";
import { createRequestContext, type RequestContext } from "./request-context.ts";
import { endStream, eventStreamType, jsonType, writeResponse, writeStream } from "./response.ts";

const chunkCount = 200;
const chunk = Buffer.alloc(64 * 1024, "x");
const stallMs = 300;
/** Longer than a busy machine may pause this process. */
const longStallMs = 30_000;

let server: Server | undefined;
let client: Socket | undefined;

afterEach(() => {
  client?.destroy();
  server?.close();
  server?.closeAllConnections();
});

const request = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

/** Serves a client that connects and sends these requests. */
async function listenTo(
  requests: string,
  respond: (context: RequestContext) => void,
): Promise<Socket> {
  const pending = { add() {}, remove() {} };
  const log = createLog("silent");
  const options = {
    log,
    metrics: createMetrics(),
    pending,
    refusals: { add() {} },
    knows: () => false,
  };
  server = createServer((req, res) => respond(createRequestContext(options, req, res)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write(requests);
  return client;
}

/** Serves one stream to a client. `ended` resolves with the result of `write`. */
async function serve(write: (context: RequestContext) => Promise<boolean>) {
  const ended = Promise.withResolvers<boolean>();
  const disconnected = Promise.withResolvers<void>();
  const client = await listenTo(request, async (context) => {
    context.signal.addEventListener("abort", () => disconnected.resolve());
    const isComplete = await write(context);
    endStream(context, "", stallMs);
    ended.resolve(isComplete);
  });
  return { ended: ended.promise, disconnected: disconnected.promise, client };
}

async function* source(made: { count: number }) {
  for (; made.count < chunkCount; made.count += 1) yield chunk;
}

test("a client that reads nothing is disconnected, and a collected stream is read to its end", async () => {
  const made = { count: 0 };
  const collector = createResponseCollector();
  const {
    ended,
    disconnected,
    client: stalled,
  } = await serve((context) => {
    const response = { contentType: eventStreamType, chunks: source(made) };
    return writeStream(context, response, () => ({}), collector, stallMs);
  });
  stalled.pause();
  expect(await ended).toBe(true);
  expect(collector.body()?.byteLength).toBe(chunkCount * chunk.byteLength);
  await disconnected;
});

test("a slow client does not slow a collected stream, and receives all of it", async () => {
  const made = { count: 0 };
  const { ended, client: slow } = await serve((context) => {
    const response = { contentType: eventStreamType, chunks: source(made) };
    return writeStream(context, response, () => ({}), createResponseCollector(), longStallMs);
  });
  const startedAt = performance.now();
  slow.pause();
  expect(await ended).toBe(true);
  expect(performance.now() - startedAt).toBeLessThan(longStallMs);
  let received = 0;
  slow.on("data", (data) => {
    received += data.length;
  });
  slow.resume();
  const all = chunkCount * chunk.byteLength;
  await vi.waitFor(() => expect(received).toBeGreaterThan(all), { timeout: longStallMs });
});

test("a client too far behind a collected stream is disconnected, and the stream is read on", async () => {
  const made = { count: 0 };
  const large = Buffer.alloc(1024 * 1024);
  async function* much() {
    for (; made.count < 100; made.count += 1) yield large;
  }
  const {
    ended,
    disconnected,
    client: slow,
  } = await serve((context) => {
    const response = { contentType: eventStreamType, chunks: much() };
    return writeStream(context, response, () => ({}), createResponseCollector(), 60_000);
  });
  slow.pause();
  await disconnected;
  expect(made.count).toBeGreaterThan(15);
  expect(await ended).toBe(true);
  expect(made.count).toBe(100);
});

test("without a collector, the stream ends when its client disconnects", async () => {
  const made = { count: 0 };
  const { ended, client: stalled } = await serve((context) =>
    writeStream(
      context,
      { contentType: eventStreamType, chunks: source(made) },
      () => ({}),
      undefined,
      stallMs,
    ),
  );
  stalled.pause();
  expect(await ended).toBe(false);
  expect(made.count).toBeLessThan(chunkCount);
});

test("a client that reads slowly is not disconnected", async () => {
  const made = { count: 0 };
  const pauseMs = 25;
  // The whole takes longer, and each of its pauses much less.
  const shortStallMs = 2_000;
  const { ended, client: slow } = await serve((context) =>
    writeStream(
      context,
      { contentType: "audio/mpeg", chunks: source(made) },
      () => ({}),
      undefined,
      shortStallMs,
    ),
  );
  let received = 0;
  const startedAt = performance.now();
  slow.on("data", (data) => {
    received += data.length;
    slow.pause();
    void setTimeout(pauseMs).then(() => slow.resume());
  });
  expect(await ended).toBe(true);
  expect(performance.now() - startedAt).toBeGreaterThan(shortStallMs);
  expect(received).toBeGreaterThan(0);
});

test("a client that reads nothing of a full response is disconnected", async () => {
  const body = Buffer.alloc(chunkCount * chunk.byteLength);
  const disconnected = Promise.withResolvers<void>();
  const stalled = await listenTo(request, (context) => {
    context.signal.addEventListener("abort", () => disconnected.resolve());
    writeResponse(context, { contentType: jsonType, body }, () => ({}), stallMs);
  });
  stalled.pause();
  await disconnected.promise;
});

test.each([
  ["small", 2],
  ["large", chunkCount * chunk.byteLength],
])("a %s response that was sent leaves no timeout for the next one", async (_, bytes) => {
  const limitMs = Promise.withResolvers<number>();
  let first: RequestContext | undefined;
  const reading = await listenTo(request + request, async (context) => {
    const { req, res } = context;
    if (first !== undefined) {
      if (!first.res.writableFinished) await once(first.res, "finish");
      limitMs.resolve(req.socket.timeout ?? 0);
      return void res.end();
    }
    first = context;
    // By then the second request is queued.
    setImmediate(() => {
      writeResponse(
        context,
        { contentType: jsonType, body: Buffer.alloc(bytes) },
        () => ({}),
        longStallMs,
      );
    });
  });
  reading.resume();
  expect(await limitMs.promise).toBe(0);
});
