import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { createLog } from "@tollgate/core/log";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import { afterEach, expect, test, vi } from "vitest";
import { endStream, eventStreamType, jsonType, writeStream, writeWhole } from "./answer.ts";
import { type Exchange, openExchange } from "./exchange.ts";
import { createCollector } from "./idempotency/collector.ts";

const pieces = 200;
const piece = Buffer.alloc(64 * 1024, "x");
const stallMs = 300;

let server: Server | undefined;
let client: Socket | undefined;

afterEach(() => {
  client?.destroy();
  server?.close();
  server?.closeAllConnections();
});

const request = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

/** Answers the requests of a client that connects and sends them. */
async function listenTo(requests: string, answer: (exchange: Exchange) => void): Promise<Socket> {
  const parts = { log: createLog("silent"), metrics: createMetrics(), knows: () => false };
  server = createServer((req, res) => answer(openExchange(parts, req, res)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write(requests);
  return client;
}

/** Serves one stream to a client that connects and asks. Answers how the writing ended. */
async function serve(write: (exchange: Exchange) => Promise<boolean>) {
  const ended = Promise.withResolvers<boolean>();
  const left = Promise.withResolvers<void>();
  const client = await listenTo(request, async (exchange) => {
    exchange.signal.addEventListener("abort", () => left.resolve());
    const whole = await write(exchange);
    endStream(exchange, "", stallMs);
    ended.resolve(whole);
  });
  return { ended: ended.promise, left: left.promise, client };
}

async function* source(made: { count: number }) {
  for (; made.count < pieces; made.count += 1) yield piece;
}

test("a client that takes nothing is let go, and its stream is still read to the end", async () => {
  const made = { count: 0 };
  const collector = createCollector();
  const {
    ended,
    left,
    client: stalled,
  } = await serve((exchange) => {
    const answer = { contentType: eventStreamType, events: source(made) };
    return writeStream(exchange, answer, () => ({}), collector, stallMs);
  });
  stalled.pause();
  expect(await ended).toBe(true);
  expect(collector.whole()?.byteLength).toBe(pieces * piece.byteLength);
  await left;
});

test("with a collector a client that is slow does not slow its stream, and gets it all", async () => {
  const made = { count: 0 };
  const patientMs = 30_000;
  const { ended, client: slow } = await serve((exchange) => {
    const answer = { contentType: eventStreamType, events: source(made) };
    return writeStream(exchange, answer, () => ({}), createCollector(), patientMs);
  });
  const startedAt = performance.now();
  slow.pause();
  expect(await ended).toBe(true);
  expect(performance.now() - startedAt).toBeLessThan(patientMs);
  let taken = 0;
  slow.on("data", (part) => {
    taken += part.length;
  });
  slow.resume();
  const all = pieces * piece.byteLength;
  await vi.waitFor(() => expect(taken).toBeGreaterThan(all), { timeout: patientMs });
});

test("a client that is too far behind a collected stream is let go, which is read on", async () => {
  const made = { count: 0 };
  const large = Buffer.alloc(1024 * 1024);
  async function* much() {
    for (; made.count < 100; made.count += 1) yield large;
  }
  const {
    ended,
    left,
    client: slow,
  } = await serve((exchange) => {
    const answer = { contentType: eventStreamType, events: much() };
    return writeStream(exchange, answer, () => ({}), createCollector(), 60_000);
  });
  slow.pause();
  await left;
  expect(made.count).toBeGreaterThan(15);
  expect(await ended).toBe(true);
  expect(made.count).toBe(100);
});

test("without a collector its stream ends with it", async () => {
  const made = { count: 0 };
  const { ended, client: stalled } = await serve((exchange) =>
    writeStream(
      exchange,
      { contentType: eventStreamType, events: source(made) },
      () => ({}),
      undefined,
      stallMs,
    ),
  );
  stalled.pause();
  expect(await ended).toBe(false);
  expect(made.count).toBeLessThan(pieces);
});

test("a client that reads slowly, but reads, gets it all", async () => {
  const made = { count: 0 };
  const pauseMs = 15;
  const patientMs = 1_000;
  const { ended, client: slow } = await serve((exchange) =>
    writeStream(
      exchange,
      { contentType: "audio/mpeg", events: source(made) },
      () => ({}),
      undefined,
      patientMs,
    ),
  );
  let taken = 0;
  const startedAt = performance.now();
  slow.on("data", (part) => {
    taken += part.length;
    slow.pause();
    void setTimeout(pauseMs).then(() => slow.resume());
  });
  expect(await ended).toBe(true);
  expect(performance.now() - startedAt).toBeGreaterThan(patientMs);
  expect(taken).toBeGreaterThan(0);
});

test("a client that takes nothing of a whole answer is let go too", async () => {
  const body = Buffer.alloc(pieces * piece.byteLength);
  const left = Promise.withResolvers<void>();
  const stalled = await listenTo(request, (exchange) => {
    exchange.signal.addEventListener("abort", () => left.resolve());
    writeWhole(exchange, { contentType: jsonType, body }, () => ({}), stallMs);
  });
  stalled.pause();
  await left.promise;
});

test.each([
  ["small", 2],
  ["large", pieces * piece.byteLength],
])("a %s answer that has gone leaves no limit to the next one's wait", async (_, bytes) => {
  const limitMs = Promise.withResolvers<number>();
  let first: Exchange | undefined;
  const reading = await listenTo(request + request, async (exchange) => {
    const { req, res } = exchange;
    if (first !== undefined) {
      if (!first.res.writableFinished) await once(first.res, "finish");
      limitMs.resolve(req.socket.timeout ?? 0);
      return void res.end();
    }
    first = exchange;
    // The second is in the queue by then.
    setImmediate(() => {
      writeWhole(
        exchange,
        { contentType: jsonType, body: Buffer.alloc(bytes) },
        () => ({}),
        stallMs,
      );
    });
  });
  reading.resume();
  expect(await limitMs.promise).toBe(0);
});
