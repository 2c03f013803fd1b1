import { once } from "node:events";
import { createServer } from "node:net";
import { freePort } from "@tollgate/local/free-port";
import { Health } from "@tollgate/proto/grpc/health/v1/health";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { expect, onTestFinished, test } from "vitest";
import { PeerError, StartError } from "../errors.ts";
import { healthOffer } from "../health.ts";
import { createLog } from "../log.ts";
import { createReadiness } from "../operations/readiness.ts";
import { createTrust } from "../trust.ts";
import { failureOf, readAll } from "./call-outcome.ts";
import { createClient } from "./client.ts";
import { createGrpcTransport } from "./grpc-client.ts";
import { serveGrpc } from "./grpc-server.ts";
import { offer } from "./implementation.ts";

const log = createLog("silent");
const trust = createTrust("fleet-secret");

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

test("a caller without the fleet's secret is refused, but is told how a service is", async () => {
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
  const readiness = createReadiness();
  const server = await serveGrpc(address, [chat, healthOffer(readiness)], { log, trust });
  for (const secret of [undefined, "another"]) {
    const transport = createGrpcTransport(address, createTrust(secret));
    const client = createClient(ChatService, transport);
    expect(await failureOf(client.complete({}))).toMatchObject({ reason: "refused" });
    expect((await readAll(client.stream({}))).error).toMatchObject({ reason: "refused" });
    const health = createClient(Health, transport);
    expect(await health.check({})).toMatchObject({ status: 1 });
    transport.close();
  }
  expect(calls).toBe(0);
  const transport = createGrpcTransport(address, trust);
  await createClient(ChatService, transport).complete({});
  expect(calls).toBe(1);
  readiness.become("draining");
  expect(await createClient(Health, transport).check({})).toMatchObject({ status: 2 });
  transport.close();
  await server.stop(100);
});

test("a call waits a moment for a peer that is starting again", async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const chat = offer(ChatService, {
    complete: async () => ({}),
    async *stream() {
      yield {};
    },
    embed: async () => ({}),
  });
  const transport = createGrpcTransport(address, trust);
  const client = createClient(ChatService, transport);
  expect(await failureOf(client.complete({}))).toMatchObject({ reason: "unavailable" });
  const answers = Promise.all([client.complete({}), readAll(client.stream({}))]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const server = await serveGrpc(address, [chat], { log, trust });
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
