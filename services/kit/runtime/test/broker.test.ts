import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "@tollgate/core/log";
import { type NatsServer, startNatsServer } from "@tollgate/local/nats-server";
import { connect } from "nats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Broker, openBroker } from "../src/broker/connection.ts";
import { natsAddress } from "../src/broker/nats-address.ts";

const log = createLog("silent");
let folder: string;
let server: NatsServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-broker-"));
  server = await startNatsServer({ dataFolder: folder });
});

afterAll(async () => {
  process.kill(server.pid, "SIGCONT");
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function openConnected(): Promise<Broker> {
  const broker = openBroker(server.url, "test", log);
  await new Promise<void>((resolve) => broker.whenConnected(() => resolve()));
  return broker;
}

test("closing sends what was published before", async () => {
  const reader = await connect(natsAddress(server.url));
  const subscription = reader.subscribe("subject", { max: 1 });
  await reader.flush();
  const broker = await openConnected();
  broker.connection()?.publish("subject", "last words");
  await broker.close();
  const received: string[] = [];
  for await (const message of subscription) received.push(message.string());
  expect(received).toEqual(["last words"]);
  await reader.close();
}, 10_000);

test("closing ends also while the broker hangs", async () => {
  const broker = await openConnected();
  const connection = broker.connection();
  process.kill(server.pid, "SIGSTOP");
  connection?.publish("subject", "lost");
  await broker.close();
  expect(connection?.isClosed()).toBe(true);
}, 10_000);
