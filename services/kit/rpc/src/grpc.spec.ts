import { once } from "node:events";
import { connect } from "node:http2";
import { createServer } from "node:net";
import { PeerError, StartError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { createTrust } from "@tollgate/core/peer-auth";
import { freePort } from "@tollgate/local/free-port";
import { Health } from "@tollgate/proto/grpc/health/v1/health";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { expect, onTestFinished, test } from "vitest";
import { failureOf, readAll } from "../test/call-outcome.ts";
import { createClient } from "./client.ts";
import { serveGrpc } from "./grpc-server.ts";
import { createGrpcTransport } from "./grpc-transport.ts";
import { healthOffer } from "./health-service.ts";
import { offer } from "./implementation.ts";

const log = createLog("silent");
const trust = createTrust("fleet-secret");

/** Answers everything, and says nothing. */
const emptyChat = offer(ChatService, {
  complete: async () => ({}),
  async *stream() {
    yield {};
  },
  embed: async () => ({}),
});

test("an address where nobody listens is unavailable, and is told so at once", async () => {
  const transport = createGrpcTransport(`127.0.0.1:${await freePort()}`, trust);
  onTestFinished(() => transport.close());
  const client = createClient(ChatService, transport);
  for (const error of [
    await failureOf(client.complete({})),
    (await readAll(client.stream({}))).error,
  ]) {
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "unavailable" });
  }
});

test("a caller without the fleet's secret is refused", async () => {
  const address = `127.0.0.1:${await freePort()}`;
  let calls = 0;
  const chat = offer(ChatService, {
    async complete() {
      calls += 1;
      return {};
    },
    async *stream() {
      calls += 1;
      yield {};
    },
    embed: async () => ({}),
  });
  let isDraining = false;
  const server = await serveGrpc(address, [chat, healthOffer(() => isDraining)], { log, trust });
  for (const secret of [undefined, "another"]) {
    const transport = createGrpcTransport(address, createTrust(secret));
    const client = createClient(ChatService, transport);
    expect(await failureOf(client.complete({}))).toMatchObject({ reason: "refused" });
    expect((await readAll(client.stream({}))).error).toMatchObject({ reason: "refused" });
    const health = createClient(Health, transport);
    expect(await failureOf(health.check({}))).toMatchObject({ reason: "refused" });
    transport.close();
  }
  expect(calls).toBe(0);
  const transport = createGrpcTransport(address, trust);
  await createClient(ChatService, transport).complete({});
  expect(calls).toBe(1);
  expect(await createClient(Health, transport).check({})).toMatchObject({ status: 1 });
  isDraining = true;
  expect(await createClient(Health, transport).check({})).toMatchObject({ status: 2 });
  transport.close();
  await server.stop(100);
});

test.each([
  ["tollgate.v1.ChatService/Complete"],
  ["grpc.health.v1.Health/Check"],
  ["tollgate.v1.TrunkService/Trunk"],
])("nothing of what such a caller sends to %s is taken in", async (method) => {
  const address = `127.0.0.1:${await freePort()}`;
  const offers = [emptyChat, healthOffer(() => false)];
  const server = await serveGrpc(address, offers, { log, trust });
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
  // The head of a message that is still to come, and it stays that way.
  request.write(Buffer.from([0, 0x02, 0, 0, 0]));
  const [headers] = await once(request, "response");
  const trailers = once(request, "trailers").then(([told]) => told);
  request.resume();
  expect(Number(headers["grpc-status"] ?? (await trailers)["grpc-status"])).toBe(7);
});

test("a call waits a moment for a peer that is starting again", async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const transport = createGrpcTransport(address, trust);
  const client = createClient(ChatService, transport);
  expect(await failureOf(client.complete({}))).toMatchObject({ reason: "unavailable" });
  const answers = Promise.all([client.complete({}), readAll(client.stream({}))]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const server = await serveGrpc(address, [emptyChat], { log, trust });
  const [, { error }] = await answers;
  expect(error).toBeUndefined();
  transport.close();
  await server.stop(100);
});

test("an address that is taken is a reason not to start", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => {
    taken.close();
  });
  const { port } = taken.address() as { port: number };
  const failure = await failureOf(serveGrpc(`127.0.0.1:${port}`, [], { log, trust }));
  expect(failure).toBeInstanceOf(StartError);
  expect((failure as StartError).message).toContain(`127.0.0.1:${port}`);
});
