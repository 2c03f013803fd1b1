import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type handleBidiStreamingCall, Server, ServerCredentials } from "@grpc/grpc-js";
import { PeerError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createCallGuard } from "../call-guard.ts";
import { createClient } from "../client.ts";
import { addGrpcService } from "../grpc-handlers.ts";
import { type GrpcServer, serveGrpc } from "../grpc-server.ts";
import { createGrpcTransport } from "../grpc-transport.ts";
import { bindService, type CallContext, type Implementation } from "../implementation.ts";
import { muxMethod } from "./mux.ts";

const log = createLog("silent");
const peerAuth = createPeerAuth({ fleet: "fleet-secret" });
const longTimeout = { timeoutMs: 60_000 };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-mux-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

type Chat = Implementation<typeof ChatService>;

function bindChat(some: Partial<Chat>) {
  const idle: Chat = {
    complete: async () => ({}),
    async *stream() {
      yield {};
    },
    countTokens: async () => ({}),
    embed: async () => ({}),
  };
  return bindService(ChatService, { ...idle, ...some });
}

async function serve(name: string, some: Partial<Chat>): Promise<GrpcServer> {
  const server = await serveGrpc(addressOf(name), [bindChat(some)], { log, peerAuth });
  onTestFinished(() => server.stop(0));
  return server;
}

const addressOf = (...names: string[]) =>
  names.map((name) => `unix:${join(folder, name)}`).join(",");

function transportTo(...names: string[]) {
  const transport = createGrpcTransport(addressOf(...names), peerAuth);
  onTestFinished(() => transport.close());
  return transport;
}

const clientOf = (...names: string[]) => createClient(ChatService, transportTo(...names));

async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const messages: T[] = [];
  for await (const message of stream) messages.push(message);
  return messages;
}

/** Opens a proxy to the socket `to` that can be cut off, and paused. */
async function proxyTo(to: string, name: string) {
  const sockets = new Set<Socket>();
  const pairs: [near: Socket, far: Socket][] = [];
  const server = createServer((near) => {
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
  server.listen(join(folder, name));
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return {
    cut() {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    pause() {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
      }
    },
    resume() {
      for (const [near, far] of pairs) near.pipe(far).pipe(near);
    },
  };
}

test("concurrent calls each get their own response", async () => {
  await serve("a", { embed: async ({ body }) => ({ body }) });
  const client = clientOf("a");
  const texts = Array.from({ length: 500 }, (_, index) => `call ${index}`);
  const responses = await Promise.all(
    texts.map((text) => client.embed({ body: Buffer.from(text) }, longTimeout)),
  );
  expect(responses.map(({ body }) => Buffer.from(body).toString())).toEqual(texts);
});

test("large requests and responses arrive complete, between small ones", async () => {
  await serve("a", {
    embed: async ({ body }) => ({ body }),
    async *stream({ call }) {
      const chunks = call === undefined ? [] : [call.body];
      for (let count = 0n; count < 3n; count += 1n) yield { totalTokens: count, chunks };
    },
  });
  const client = clientOf("a");
  const large = Buffer.alloc(3 * 1024 * 1024, "0123456789");
  const [response, small, streamed] = await Promise.all([
    client.embed({ body: large }, longTimeout),
    client.embed({ body: Buffer.from("small") }),
    readAll(client.stream({ call: { body: large } }, longTimeout)),
  ]);
  expect(large.equals(response.body)).toBe(true);
  expect(Buffer.from(small.body).toString()).toBe("small");
  expect(streamed.map(({ totalTokens }) => totalTokens)).toEqual([0n, 1n, 2n]);
  for (const { chunks } of streamed) expect(large.equals(chunks[0] ?? Buffer.of())).toBe(true);
});

test("a slow reader slows its own stream and no other call", async () => {
  let written = 0;
  await serve("a", {
    async *stream() {
      for (; written < 1_000; written += 1) yield { chunks: [Buffer.alloc(16 * 1024)] };
    },
  });
  const client = clientOf("a");
  const stream = client.stream({}, { timeoutMs: 60_000 })[Symbol.asyncIterator]();
  await stream.next();
  // By the last of these responses the handler has had enough turns of the event loop to run ahead.
  for (let calls = 0; calls < 100; calls += 1) await client.complete({});
  expect(written).toBeLessThan(30);
  let read = 1;
  while (!(await stream.next()).done) read += 1;
  expect(read).toBe(1_000);
});

test("calls on a broken connection are unavailable at once, and the next one reconnects", async () => {
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
  const proxy = await proxyTo("far", "near");
  const client = clientOf("near");
  const stream = client.stream({}, { timeoutMs: 60_000 })[Symbol.asyncIterator]();
  expect((await stream.next()).value).toMatchObject({ totalTokens: 1n });
  const call = client.complete({}, { timeoutMs: 60_000 });
  const { signal } = await entered.promise;
  proxy.cut();
  await expect(call).rejects.toMatchObject({ reason: "unavailable" });
  await expect(stream.next()).rejects.toMatchObject({ reason: "unavailable" });
  await expect.poll(() => signal.aborted).toBe(true);
  await client.embed({});
});

test("a replica that drains finishes its calls, and new ones go to another", async () => {
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

test("a replica that has ended its mux gets no calls while another is ready", async () => {
  let opened = 0;
  const draining = new Server();
  const mux: handleBidiStreamingCall<unknown, Buffer> = (stream) => {
    opened += 1;
    stream.end();
  };
  draining.addService({ mux: muxMethod }, { mux });
  await new Promise((resolve) =>
    draining.bindAsync(addressOf("draining"), ServerCredentials.createInsecure(), resolve),
  );
  onTestFinished(() => draining.forceShutdown());
  await serve("other", {});
  const client = clientOf("draining", "other");
  for (let calls = 0; calls < 20; calls += 1) await client.complete({});
  expect(opened).toBe(1);
});

test("a replica that fails its health check gets no calls until it passes one", async () => {
  let callsOfA = 0;
  await serve("a", {
    async embed() {
      callsOfA += 1;
      return {};
    },
  });
  const proxy = await proxyTo("a", "proxy");
  await serve("b", {});
  const client = clientOf("proxy", "b");
  const call = () => client.embed({}, { timeoutMs: 500 });
  await vi.waitFor(
    async () => {
      await call();
      expect(callsOfA).toBeGreaterThan(0);
    },
    { timeout: 10_000 },
  );
  proxy.pause();
  const stuck = [1, 2].map(() => client.embed({}, { timeoutMs: 5_000 }).catch(() => {}));
  await vi.waitFor(
    async () => {
      for (let calls = 0; calls < 6; calls += 1) await call();
    },
    { timeout: 10_000 },
  );
  proxy.resume();
  await Promise.all(stuck);
  callsOfA = 0;
  await vi.waitFor(
    async () => {
      await call();
      expect(callsOfA).toBeGreaterThan(0);
    },
    { timeout: 10_000 },
  );
});

test("a call that outlasts the grace period of its replica is unavailable", async () => {
  const server = await serve("a", { complete: () => new Promise(() => {}) });
  const call = clientOf("a").complete({}, { timeoutMs: 60_000 });
  const failure = expect(call).rejects.toMatchObject({ reason: "unavailable" });
  await expect.poll(() => server.stop(1).then(() => true)).toBe(true);
  await failure;
});

test("a replica that does not serve the mux gets each call as a gRPC call of its own", async () => {
  const guard = createCallGuard({ log, peerAuth });
  const server = new Server();
  const chat: Partial<Chat> = {
    embed: async ({ body }) => ({ body }),
    async *stream() {
      yield { totalTokens: 1n };
      throw new PeerError("unavailable", "the ledger is unavailable");
    },
  };
  addGrpcService(server, bindChat(chat), guard);
  await new Promise((resolve) =>
    server.bindAsync(addressOf("without-mux"), ServerCredentials.createInsecure(), resolve),
  );
  onTestFinished(() => server.forceShutdown());
  const client = clientOf("without-mux");
  const body = Buffer.from("hello");
  const responses = await Promise.all([1, 2, 3].map(() => client.embed({ body })));
  for (const response of responses) expect(body.equals(response.body)).toBe(true);
  const stream = client.stream({})[Symbol.asyncIterator]();
  expect((await stream.next()).value).toMatchObject({ totalTokens: 1n });
  await expect(stream.next()).rejects.toMatchObject({ reason: "unavailable" });
});

test("a call carries its caller's trace", async () => {
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

test("a server with no open transport stops at once", async () => {
  const server = await serve("a", {});
  const transport = createGrpcTransport(addressOf("a"), peerAuth);
  await createClient(ChatService, transport).complete({});
  transport.close();
  await server.stop(60_000);
});
