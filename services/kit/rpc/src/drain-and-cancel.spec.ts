import { mkdtemp, rm } from "node:fs/promises";
import { connect as connectTo, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type handleBidiStreamingCall, Server, ServerCredentials } from "@grpc/grpc-js";
import { createLog, type Log } from "@tollgate/core/log";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { rejectionOf } from "../test/call-outcome.ts";
import { createClient } from "./client.ts";
import { type GrpcServer, serveGrpc } from "./grpc-server.ts";
import { createGrpcTransport } from "./grpc-transport.ts";
import { bindService, type CallContext, type Implementation } from "./implementation.ts";
import { muxMethod } from "./mux/mux.ts";

type Chat = Implementation<typeof ChatService>;

const peerAuth = createPeerAuth({});
const silent = createLog("silent");
const folder = await mkdtemp(join(tmpdir(), "tollgate-drain-"));
const addressOf = (name: string) => `unix:${join(folder, name)}`;

afterAll(() => rm(folder, { recursive: true, force: true }));

async function serve(address: string, some: Partial<Chat>, log: Log = silent): Promise<GrpcServer> {
  const chat: Chat = {
    complete: async () => ({}),
    async *stream() {},
    countTokens: async () => ({}),
    embed: async () => ({}),
    ...some,
  };
  const server = await serveGrpc(address, [bindService(ChatService, chat)], { log, peerAuth });
  onTestFinished(() => server.stop(0));
  return server;
}

function connect(address: string) {
  const transport = createGrpcTransport(address, peerAuth);
  onTestFinished(transport.close);
  return { transport, client: createClient(ChatService, transport) };
}

/** Serves a replica that accepts calls, begins none of them, and ends its mux `afterMs` later. */
async function serveNothing(address: string, afterMs: number): Promise<void> {
  const server = new Server();
  const mux: handleBidiStreamingCall<unknown, Buffer> = (stream) => {
    stream.on("data", () => {});
    setTimeout(() => stream.end(), afterMs);
  };
  server.addService({ mux: muxMethod }, { mux });
  await new Promise<void>((resolve) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), () => resolve());
  });
  onTestFinished(() => server.forceShutdown());
}

test("a call that its replica never began is retried on another, however late", async () => {
  const [draining, other] = [addressOf("draining"), addressOf("other")];
  await serveNothing(draining, 1_200);
  await serve(other, {});
  const { client } = connect(`${draining},${other}`);
  const calls = Array.from({ length: 6 }, () => client.complete({}));
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(
    calls.map(() => "fulfilled"),
  );
});

/** A busy machine takes longer than the default second. */
const polling = { timeout: 10_000 };

test("a replica that is leaving gets calls only while there is no other", async () => {
  const calls = { leaving: 0, other: 0 };
  const count = (name: keyof typeof calls) => async () => {
    calls[name] += 1;
    return {};
  };
  const leaving = await serve(addressOf("leaving"), { complete: count("leaving") });
  const alone = connect(addressOf("leaving")).client;
  await alone.complete({});
  const other = await serve(addressOf("staying"), { complete: count("other") });
  const { client } = connect(`${addressOf("leaving")},${addressOf("staying")}`);
  await vi.waitFor(async () => {
    await client.complete({});
    expect(calls).toEqual({ leaving: expect.any(Number), other: expect.toSatisfy((n) => n > 0) });
  }, polling);
  leaving.leave();
  await vi.waitFor(async () => {
    const before = calls.leaving;
    for (let sent = 0; sent < 10; sent += 1) await client.complete({});
    expect(calls.leaving).toBe(before);
  }, polling);
  const before = calls.leaving;
  await alone.complete({});
  await connect(addressOf("leaving")).client.complete({});
  expect(calls.leaving).toBe(before + 2);
  await other.stop(1_000);
  await client.complete({});
  expect(calls.leaving).toBe(before + 3);
});

test("a handler does not run again because the service that it calls drains", async () => {
  await serveNothing(addressOf("further"), 0);
  const further = connect(addressOf("further")).client;
  let begun = 0;
  await serve(addressOf("nested"), {
    async complete() {
      begun += 1;
      return further.complete({});
    },
  });
  const call = connect(addressOf("nested")).client.complete({});
  await expect(call).rejects.toMatchObject({ reason: "unavailable" });
  expect(begun).toBe(1);
});

test("a stream in progress runs to its end after its transport is closed", async () => {
  const count = 3_000;
  await serve(addressOf("stream"), {
    async *stream() {
      for (let index = 0; index < count; index += 1) yield { chunks: [Buffer.alloc(1_000)] };
    },
  });
  const { transport, client } = connect(addressOf("stream"));
  const messages = client.stream({}, { timeoutMs: 60_000 })[Symbol.asyncIterator]();
  await messages.next();
  transport.close();
  let seen = 1;
  while (!(await messages.next()).done) seen += 1;
  expect(seen).toBe(count);
});

test("a handler that fails because its caller cancelled logs no failure", async () => {
  const failures: string[] = [];
  const log: Log = { ...silent, error: (_fields, message) => void failures.push(message) };
  const ended = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  await serve(
    addressOf("cancelled"),
    {
      async complete(_request, { signal }) {
        begun.resolve();
        try {
          await sleep(60_000, undefined, { signal });
        } finally {
          setImmediate(ended.resolve);
        }
        return {};
      },
    },
    log,
  );
  const caller = new AbortController();
  const call = connect(addressOf("cancelled")).client.complete({}, { signal: caller.signal });
  await begun.promise;
  caller.abort();
  await expect(call).rejects.toMatchObject({ reason: "cancelled" });
  await ended.promise;
  expect(failures).toEqual([]);
});

/** Forwards connections to a server that listens on a socket, until it cuts them. */
async function relayTo(name: string) {
  const sockets: Socket[] = [];
  const relay = createTcpServer((near) => {
    const far = connectTo(join(folder, name));
    for (const socket of [near, far]) socket.on("error", () => {});
    sockets.push(near, far);
    near.pipe(far).pipe(near);
  });
  const path = join(folder, `${name}-relay`);
  await new Promise<void>((resolve) => relay.listen(path, resolve));
  onTestFinished(() => void relay.close());
  return {
    address: `unix:${path}`,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Starts a call of so many bytes, through a relay, whose handler is in a part that runs to its end. */
async function relayedCall(bytes: number) {
  const entered = Promise.withResolvers<CallContext>();
  const name = `relayed-${bytes}`;
  await serve(addressOf(name), {
    async complete(_request, context) {
      context.beginPart({ callerLeft() {} });
      entered.resolve(context);
      await new Promise<void>((resolve) => {
        context.signal.addEventListener("abort", () => resolve());
      });
      return {};
    },
  });
  const relay = await relayTo(name);
  const caller = new AbortController();
  const request = { call: { body: Buffer.alloc(bytes, " ") } };
  const options = { signal: caller.signal, timeoutMs: 60_000 };
  const failure = rejectionOf(connect(relay.address).client.complete(request, options));
  return { relay, caller, failure, context: await entered.promise };
}

/** The larger one is a gRPC call of its own. */
describe.each([0, 300_000])("a call of %d bytes whose connection breaks", (bytes) => {
  test("ends by its caller's failure, and the caller has not left", async () => {
    const { relay, failure, context } = await relayedCall(bytes);
    relay.cut();
    await vi.waitFor(() => expect(context.signal.aborted).toBe(true), polling);
    expect(context.signal.reason).toMatchObject({ reason: "unavailable" });
    expect(context.hasLeft).toBe(false);
    expect(await failure).toMatchObject({ reason: "unavailable" });
  });

  test("goes on where its caller had left before", async () => {
    const { relay, caller, failure, context } = await relayedCall(bytes);
    caller.abort();
    await vi.waitFor(() => expect(context.hasLeft).toBe(true), polling);
    relay.cut();
    // By its response to another call, the server has seen the cut.
    await connect(addressOf(`relayed-${bytes}`)).client.countTokens({});
    expect(context.signal.aborted).toBe(false);
    context.endPart();
    expect(context.signal.reason).toMatchObject({ reason: "cancelled" });
    expect(await failure).toMatchObject({ reason: "cancelled" });
  });
});
