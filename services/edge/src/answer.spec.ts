import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createLog } from "@tollgate/kit/log";
import { createMetrics } from "@tollgate/kit/operations/metrics";
import { afterEach, expect, test } from "vitest";
import { eventStreamType, writeStream } from "./answer.ts";
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

/** Serves one stream to a client that connects and asks. Answers how the writing ended. */
async function serve(write: (exchange: Exchange) => Promise<boolean>) {
  const ended = Promise.withResolvers<boolean>();
  const parts = { log: createLog("silent"), metrics: createMetrics(), knows: () => false };
  server = createServer(async (req, res) => {
    const exchange = openExchange(parts, req, res);
    const whole = await write(exchange);
    res.end();
    ended.resolve(whole);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  return { ended: ended.promise, client };
}

async function* source(made: { count: number }) {
  for (; made.count < pieces; made.count += 1) yield piece;
}

test("a client that takes nothing is let go, and its stream is still read to the end", async () => {
  const made = { count: 0 };
  const collector = createCollector();
  const { ended, client: stalled } = await serve((exchange) => {
    const answer = { contentType: eventStreamType, events: source(made) };
    return writeStream(exchange, answer, () => ({}), collector, stallMs);
  });
  stalled.pause();
  expect(await ended).toBe(true);
  expect(collector.whole()?.byteLength).toBe(pieces * piece.byteLength);
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
  const { ended, client: slow } = await serve((exchange) =>
    writeStream(
      exchange,
      { contentType: "audio/mpeg", events: source(made) },
      () => ({}),
      undefined,
      stallMs,
    ),
  );
  let taken = 0;
  const startedAt = performance.now();
  slow.on("data", (part) => {
    taken += part.length;
    slow.pause();
    setTimeout(() => slow.resume(), 4);
  });
  expect(await ended).toBe(true);
  expect(performance.now() - startedAt).toBeGreaterThan(stallMs);
  expect(taken).toBeGreaterThan(0);
});
