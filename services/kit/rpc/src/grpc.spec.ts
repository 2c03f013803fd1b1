import { once } from "node:events";
import { connect } from "node:http2";
import { createServer } from "node:net";
import { PeerError, StartError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import { freePort } from "@tollgate/local/free-port";
import { Health } from "@tollgate/proto/grpc/health/v1/health";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { expect, onTestFinished, test, vi } from "vitest";
import { readAll, rejectionOf } from "../test/call-outcome.ts";
import { createClient } from "./client.ts";
import { serveGrpc } from "./grpc-server.ts";
import { createGrpcTransport } from "./grpc-transport.ts";
import { bindHealthService } from "./health-service.ts";
import { bindService } from "./implementation.ts";

const log = createLog("silent");
const peerAuth = createPeerAuth({ fleet: "fleet-secret" });

/** Responds to every call with an empty message. */
const emptyChat = bindService(ChatService, {
  complete: async () => ({}),
  async *stream() {
    yield {};
  },
  countTokens: async () => ({}),
  embed: async () => ({}),
});

/** The same, and counts the calls of its first two methods. */
function countingChat(operatorMethods: ("complete" | "stream")[] = []) {
  const counted = { calls: 0 };
  const methods = {
    async complete() {
      counted.calls += 1;
      return {};
    },
    async *stream() {
      counted.calls += 1;
      yield {};
    },
    countTokens: async () => ({}),
    embed: async () => ({}),
  };
  return { chat: bindService(ChatService, methods, operatorMethods), counted };
}

test("a call to an address where no server listens is unavailable after about a second", async () => {
  const transport = createGrpcTransport(`127.0.0.1:${await freePort()}`, peerAuth);
  onTestFinished(() => transport.close());
  const client = createClient(ChatService, transport);
  for (const error of [
    await rejectionOf(client.complete({})),
    (await readAll(client.stream({}))).error,
  ]) {
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "unavailable" });
  }
});

test.each([
  ["over the mux", 1],
  ["as a gRPC call of its own", 300_000],
])("a method for operators needs their secret %s", async (_, bodyBytes) => {
  const address = `127.0.0.1:${await freePort()}`;
  const { chat, counted } = countingChat(["complete", "stream"]);
  const fleet = "fleet-secret";
  const guard = { log, peerAuth: createPeerAuth({ fleet, operator: "operators" }) };
  const server = await serveGrpc(address, [chat], guard);
  const request = { call: { body: new Uint8Array(bodyBytes) } };
  for (const operator of [undefined, "another", "operators"]) {
    const transport = createGrpcTransport(address, createPeerAuth({ fleet, operator }));
    const client = createClient(ChatService, transport);
    await client.countTokens(request);
    if (operator === "operators") {
      await client.complete(request);
      expect((await readAll(client.stream(request))).error).toBeUndefined();
      expect(counted.calls).toBe(2);
    } else {
      expect(await rejectionOf(client.complete(request))).toMatchObject({ reason: "refused" });
      expect((await readAll(client.stream(request))).error).toMatchObject({ reason: "refused" });
      expect(counted.calls).toBe(0);
    }
    transport.close();
  }
  await server.stop(0);
});

test("a caller without the fleet's secret is refused", async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const { chat, counted } = countingChat();
  let isDraining = false;
  const server = await serveGrpc(address, [chat, bindHealthService(() => isDraining)], {
    log,
    peerAuth,
  });
  for (const secret of [undefined, "another"]) {
    const transport = createGrpcTransport(address, createPeerAuth({ fleet: secret }));
    const client = createClient(ChatService, transport);
    expect(await rejectionOf(client.complete({}))).toMatchObject({ reason: "refused" });
    expect((await readAll(client.stream({}))).error).toMatchObject({ reason: "refused" });
    const health = createClient(Health, transport);
    expect(await rejectionOf(health.check({}))).toMatchObject({ reason: "refused" });
    transport.close();
  }
  expect(counted.calls).toBe(0);
  const transport = createGrpcTransport(address, peerAuth);
  await createClient(ChatService, transport).complete({});
  expect(counted.calls).toBe(1);
  expect(await createClient(Health, transport).check({})).toMatchObject({ status: 1 });
  isDraining = true;
  expect(await createClient(Health, transport).check({})).toMatchObject({ status: 2 });
  transport.close();
  await server.stop(100);
});

test.each([
  ["tollgate.v1.ChatService/Complete"],
  ["grpc.health.v1.Health/Check"],
  ["tollgate.v1.MuxService/Mux"],
])("no message of a caller without the secret to %s is read", async (method) => {
  const address = `127.0.0.1:${await freePort()}`;
  const bindings = [emptyChat, bindHealthService(() => false)];
  const server = await serveGrpc(address, bindings, { log, peerAuth });
  const session = connect(`http://${address}`);
  onTestFinished(async () => {
    session.destroy();
    await server.stop(100);
  });
  const request = session.request({
    ":method": "POST",
    ":path": `/${method}`,
    "content-type": "application/grpc",
    te: "trailers",
  });
  // The header of a message whose body never follows.
  request.write(Buffer.from([0, 0x02, 0, 0, 0]));
  const [headers] = await once(request, "response");
  const trailers = once(request, "trailers").then(([headers]) => headers);
  request.resume();
  expect(Number(headers["grpc-status"] ?? (await trailers)["grpc-status"])).toBe(7);
});

test("a call waits up to a second for a peer that restarts", async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const transport = createGrpcTransport(address, peerAuth);
  const client = createClient(ChatService, transport);
  expect(await rejectionOf(client.complete({}))).toMatchObject({ reason: "unavailable" });
  const callThenStart = async () => {
    const responses = Promise.all([client.complete({}), readAll(client.stream({}))]);
    responses.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    const server = await serveGrpc(address, [emptyChat], { log, peerAuth });
    try {
      const [, { error }] = await responses;
      expect(error).toBeUndefined();
    } finally {
      await server.stop(100);
    }
  };
  // On a busy machine, the peer may take longer to start than the calls wait.
  await vi.waitFor(callThenStart, { timeout: 30_000 });
  transport.close();
});

test("a server does not start on an address in use", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => {
    taken.close();
  });
  const { port } = taken.address() as { port: number };
  const failure = await rejectionOf(serveGrpc(`127.0.0.1:${port}`, [], { log, peerAuth }));
  expect(failure).toBeInstanceOf(StartError);
  expect((failure as StartError).message).toContain(`127.0.0.1:${port}`);
});
