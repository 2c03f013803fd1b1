import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type handleBidiStreamingCall, Server, ServerCredentials } from "@grpc/grpc-js";
import { PeerError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { createTrust } from "@tollgate/core/peer-auth";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createGate } from "./call-guard.ts";
import { createClient } from "./client.ts";
import { addPlainService } from "./grpc-handlers.ts";
import { type GrpcServer, serveGrpc } from "./grpc-server.ts";
import { createGrpcTransport } from "./grpc-transport.ts";
import { type CallContext, type Implementation, offer } from "./implementation.ts";
import { trunkMethod } from "./mux.ts";

const log = createLog("silent");
const trust = createTrust("fleet-secret");
const patient = { timeoutMs: 60_000 };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-trunk-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

type Chat = Implementation<typeof ChatService>;

function chatOffer(some: Partial<Chat>) {
  const idle: Chat = {
    complete: async () => ({}),
    async *stream() {
      yield {};
    },
    embed: async () => ({}),
  };
  return offer(ChatService, { ...idle, ...some });
}

async function serve(name: string, some: Partial<Chat>): Promise<GrpcServer> {
  const server = await serveGrpc(addressOf(name), [chatOffer(some)], { log, trust });
  onTestFinished(() => server.stop(0));
  return server;
}

const addressOf = (...names: string[]) =>
  names.map((name) => `unix:${join(folder, name)}`).join(",");

function transportTo(...names: string[]) {
  const transport = createGrpcTransport(addressOf(...names), trust);
  onTestFinished(() => transport.close());
  return transport;
}

const clientOf = (...names: string[]) => createClient(ChatService, transportTo(...names));

async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const messages: T[] = [];
  for await (const message of stream) messages.push(message);
  return messages;
}

/** A line to `to` that can be cut, and held up. */
async function lineTo(to: string, name: string) {
  const sockets = new Set<Socket>();
  const pairs: [near: Socket, far: Socket][] = [];
  const line = createServer((near) => {
    const far = connect(join(folder, to));
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
    pairs.push([near, far]);
  });
  line.listen(join(folder, name));
  await once(line, "listening");
  onTestFinished(() => void line.close());
  return {
    cut() {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    hold() {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
      }
    },
    release() {
      for (const [near, far] of pairs) near.pipe(far).pipe(near);
    },
  };
}

test("many calls at once each get their own answer", async () => {
  await serve("a", { embed: async ({ body }) => ({ body }) });
  const client = clientOf("a");
  const texts = Array.from({ length: 500 }, (_, index) => `call ${index}`);
  const answers = await Promise.all(
    texts.map((text) => client.embed({ body: Buffer.from(text) }, patient)),
  );
  expect(answers.map(({ body }) => Buffer.from(body).toString())).toEqual(texts);
});

test("large requests and answers arrive whole, between small ones", async () => {
  await serve("a", {
    embed: async ({ body }) => ({ body }),
    async *stream({ call }) {
      const chunks = call === undefined ? [] : [call.body];
      for (let count = 0n; count < 3n; count += 1n) yield { totalTokens: count, chunks };
    },
  });
  const client = clientOf("a");
  const large = Buffer.alloc(3 * 1024 * 1024, "0123456789");
  const [answer, small, streamed] = await Promise.all([
    client.embed({ body: large }, patient),
    client.embed({ body: Buffer.from("small") }),
    readAll(client.stream({ call: { body: large } }, patient)),
  ]);
  expect(large.equals(answer.body)).toBe(true);
  expect(Buffer.from(small.body).toString()).toBe("small");
  expect(streamed.map(({ totalTokens }) => totalTokens)).toEqual([0n, 1n, 2n]);
  for (const { chunks } of streamed) expect(large.equals(chunks[0] ?? Buffer.of())).toBe(true);
});

test("a slow reader slows its source, and nobody else", async () => {
  let written = 0;
  await serve("a", {
    async *stream() {
      for (; written < 1_000; written += 1) yield { chunks: [Buffer.alloc(16 * 1024)] };
    },
  });
  const client = clientOf("a");
  const stream = client.stream({}, { timeoutMs: 60_000 })[Symbol.asyncIterator]();
  await stream.next();
  // By the last of these answers the source has had all the turns that it needs to run ahead.
  for (let calls = 0; calls < 100; calls += 1) await client.complete({});
  expect(written).toBeLessThan(30);
  let read = 1;
  while (!(await stream.next()).done) read += 1;
  expect(read).toBe(1_000);
});

test("calls under way on a line that breaks are unavailable at once, and others connect anew", async () => {
  const entered = Promise.withResolvers<CallContext>();
  await serve("far", {
    complete(_request, context) {
      entered.resolve(context);
      return new Promise(() => {});
    },
    async *stream(_request, { signal }) {
      yield { totalTokens: 1n };
      await once(signal, "abort");
    },
  });
  const line = await lineTo("far", "near");
  const client = clientOf("near");
  const stream = client.stream({}, { timeoutMs: 60_000 })[Symbol.asyncIterator]();
  expect((await stream.next()).value).toMatchObject({ totalTokens: 1n });
  const call = client.complete({}, { timeoutMs: 60_000 });
  const { signal } = await entered.promise;
  line.cut();
  await expect(call).rejects.toMatchObject({ reason: "unavailable" });
  await expect(stream.next()).rejects.toMatchObject({ reason: "unavailable" });
  await expect.poll(() => signal.aborted).toBe(true);
  await client.embed({});
});

test("a replica that ends finishes its calls, and new ones go to another", async () => {
  const served: string[] = [];
  const entered = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const chat = (name: string): Partial<Chat> => ({
    async complete() {
      served.push(name);
      return {};
    },
    async *stream() {
      entered.resolve();
      yield { totalTokens: 1n };
      await finish.promise;
      yield { totalTokens: 2n };
    },
  });
  const first = await serve("a", chat("a"));
  const client = clientOf("a", "b");
  const stream = readAll(client.stream({}, { timeoutMs: 60_000 }));
  await entered.promise;
  await serve("b", chat("b"));
  await expect.poll(() => client.complete({}).then(() => served.includes("b"))).toBe(true);
  const stopped = first.stop(60_000);
  served.length = 0;
  await Promise.all(Array.from({ length: 50 }, () => client.complete({})));
  expect(new Set(served)).toEqual(new Set(["b"]));
  finish.resolve();
  expect((await stream).map(({ totalTokens }) => totalTokens)).toEqual([1n, 2n]);
  await stopped;
  await client.complete({});
});

test("a replica that has ended its trunk is left alone while another is there", async () => {
  let opened = 0;
  const ending = new Server();
  const trunk: handleBidiStreamingCall<unknown, Buffer> = (stream) => {
    opened += 1;
    stream.end();
  };
  ending.addService({ trunk: trunkMethod }, { trunk });
  await new Promise((resolve) =>
    ending.bindAsync(addressOf("ending"), ServerCredentials.createInsecure(), resolve),
  );
  onTestFinished(() => ending.forceShutdown());
  await serve("other", {});
  const client = clientOf("ending", "other");
  for (let calls = 0; calls < 20; calls += 1) await client.complete({});
  expect(opened).toBe(1);
});

test("a replica that gives no sign of life gets no calls until it does", async () => {
  let ofA = 0;
  await serve("a", {
    async embed() {
      ofA += 1;
      return {};
    },
  });
  const line = await lineTo("a", "line");
  await serve("b", {});
  const client = clientOf("line", "b");
  const call = () => client.embed({}, { timeoutMs: 500 });
  await vi.waitFor(
    async () => {
      await call();
      expect(ofA).toBeGreaterThan(0);
    },
    { timeout: 10_000 },
  );
  line.hold();
  const stuck = [1, 2].map(() => client.embed({}, { timeoutMs: 5_000 }).catch(() => {}));
  await vi.waitFor(
    async () => {
      for (let calls = 0; calls < 6; calls += 1) await call();
    },
    { timeout: 10_000 },
  );
  line.release();
  await Promise.all(stuck);
  ofA = 0;
  await vi.waitFor(
    async () => {
      await call();
      expect(ofA).toBeGreaterThan(0);
    },
    { timeout: 10_000 },
  );
});

test("what a replica has not ended within its grace is unavailable", async () => {
  const server = await serve("a", { complete: () => new Promise(() => {}) });
  const call = clientOf("a").complete({}, { timeoutMs: 60_000 });
  const failure = expect(call).rejects.toMatchObject({ reason: "unavailable" });
  await expect.poll(() => server.stop(1).then(() => true)).toBe(true);
  await failure;
});

test("a replica that knows plain calls alone is spoken to plainly", async () => {
  const gate = createGate({ log, trust });
  const server = new Server();
  const chat: Partial<Chat> = {
    embed: async ({ body }) => ({ body }),
    async *stream() {
      yield { totalTokens: 1n };
      throw new PeerError("unavailable", "the ledger is away");
    },
  };
  addPlainService(server, chatOffer(chat), gate);
  await new Promise((resolve) =>
    server.bindAsync(addressOf("old"), ServerCredentials.createInsecure(), resolve),
  );
  onTestFinished(() => server.forceShutdown());
  const client = clientOf("old");
  const body = Buffer.from("hello");
  const answers = await Promise.all([1, 2, 3].map(() => client.embed({ body })));
  for (const answer of answers) expect(body.equals(answer.body)).toBe(true);
  const stream = client.stream({})[Symbol.asyncIterator]();
  expect((await stream.next()).value).toMatchObject({ totalTokens: 1n });
  await expect(stream.next()).rejects.toMatchObject({ reason: "unavailable" });
});

test("a caller's trace goes with its call", async () => {
  const traces: unknown[] = [];
  const complete: Chat["complete"] = async (_request, { trace }) => {
    traces.push(trace);
    return {};
  };
  await serve("a", { complete });
  const traced = { traceparent: "00-0af7-b7ad-01", tracestate: "vendor=1" };
  for (const trace of [traced, undefined]) {
    const request = { $typeName: "tollgate.v1.CompleteRequest" } as never;
    await transportTo("a").unary(ChatService.method.complete, request, { trace });
  }
  expect(traces).toEqual([traced, undefined]);
});

test("a transport that is closed lets its server end at once", async () => {
  const server = await serve("a", {});
  const transport = createGrpcTransport(addressOf("a"), trust);
  await createClient(ChatService, transport).complete({});
  transport.close();
  await server.stop(60_000);
});
