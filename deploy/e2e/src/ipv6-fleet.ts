import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { startFleet } from "@tollgate/local/fleet";
import { startNatsServer } from "@tollgate/local/nats-server";
import { connectOperator } from "@tollgate/local/operator";
import { startPostgres } from "@tollgate/local/postgres";
import { startSimulator } from "@tollgate/simulator/simulator";
import { WebSocket } from "ws";
import { wav } from "./audio-files.ts";
import { testCatalog } from "./catalog/catalog.ts";

/**
 * Starts a fleet of which every address is `::1` or `*`, with Postgres, NATS and the provider at `::1`,
 * sends it requests, and prints what it got. Usage: `ipv6-fleet.ts PROGRAM`, the program of each process.
 */
const host = "::1";
const secrets = { fleet: "fleet-secret-of-ipv6", operator: "operator-secret-of-ipv6" };
const services = ["ledger", "billing", "chat", "audio", "edge"] as const;
const [program = ""] = process.argv.slice(2);

const folder = await mkdtemp(join(tmpdir(), "tollgate-ipv6-"));
// Postgres runs as another user where this runs as root, and must be able to enter.
await chmod(folder, 0o711);
const postgres = await startPostgres({ dataFolder: folder, durable: false, host });
const nats = await startNatsServer({ dataFolder: folder, host });
const simulator = await startSimulator({ port: 0, host });
const catalogFile = join(folder, "catalog.yaml");
await writeFile(catalogFile, testCatalog(simulator.url));
const env = {
  PATH: process.env.PATH,
  DATABASE_URL: postgres.url,
  NATS_URL: nats.url,
  TOLLGATE_CATALOG: catalogFile,
  TOLLGATE_LOG: "warn",
  TEST_PROVIDER_KEY: "provider-secret",
  TEST_SECOND_KEY: "second-secret",
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "secret",
  HOST: "*",
  TOLLGATE_FLEET_SECRET: secrets.fleet,
  TOLLGATE_OPERATOR_SECRET: secrets.operator,
  TOLLGATE_SPOOL_DIR: join(folder, "spool"),
};
const fleet = await startFleet(env, 0, { host, services, main: pathToFileURL(program) });
const operator = connectOperator(fleet.billingAddress, secrets);
try {
  process.stdout.write(`${JSON.stringify(await useFleet())}\n`);
} finally {
  operator.close();
  await fleet.stop();
  await nats.stop();
  await postgres.stop();
  await simulator.close();
  await rm(folder, { recursive: true, force: true });
}
process.exit();

async function useFleet() {
  const [edge] = fleet.replicas("edge");
  const url = `http://[${host}]:${edge?.port}`;
  const { account } = await operator.client.createAccount({
    name: "ipv6",
    creditNanoUsd: 1_000_000_000n,
  });
  const { key } = await operator.client.createKey({ account: account?.id ?? "" });
  const headers = { authorization: `Bearer ${key}` };
  const chat = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ model: "test-small", messages: [{ role: "user", content: "Hi" }] }),
  });
  const form = new FormData();
  form.append("model", "test-hear");
  form.append("file", new Blob([new Uint8Array(wav(2))], { type: "audio/wav" }), "a.wav");
  const upload = await fetch(`${url}/v1/audio/transcriptions`, {
    method: "POST",
    headers,
    body: form,
  });
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/audio/transcriptions/stream`, {
    headers,
  });
  await once(socket, "open");
  socket.send(JSON.stringify({ model: "test-hear", format: "pcm_s16le" }));
  socket.send(Buffer.alloc(32_000));
  socket.send(JSON.stringify({ action: "flush" }));
  const [closeCode] = await once(socket, "close");
  const metrics = await Promise.all(
    services.map(async (name) => {
      const [replica] = fleet.replicas(name);
      return (await fetch(`http://${replica?.operationsListen}/metrics`)).status;
    }),
  );
  return {
    statuses: [chat.status, upload.status, closeCode],
    metrics,
    charged: await chargedRequests(account?.id ?? ""),
    hasIpv4: Object.values(networkInterfaces())
      .flat()
      .some((one) => one?.family === "IPv4"),
  };
}

/** Resolves with how many requests were charged, once there are three. */
async function chargedRequests(account: string): Promise<number> {
  for (;;) {
    const { entries } = await operator.client.listLedger({ account, limit: 100 });
    const charged = entries.filter(({ kind }) => kind === "usage").length;
    if (charged >= 3) return charged;
  }
}
