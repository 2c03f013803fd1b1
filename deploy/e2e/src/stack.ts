import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Child, startChild } from "@tollgate/local/child";
import { startFleet } from "@tollgate/local/fleet";
import { freePort } from "@tollgate/local/free-port";
import { startNatsServer } from "@tollgate/local/nats-server";
import { connectOperator } from "@tollgate/local/operator";
import { createDatabase } from "@tollgate/local/postgres";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Client } from "@tollgate/rpc/implementation";
import { type ServiceName, serviceNames } from "@tollgate/runtime/service";
import { type Simulator, startSimulator } from "@tollgate/simulator/simulator";
import pg from "pg";
import { inject } from "vitest";
import { testCatalog } from "./catalog.ts";
import { holdToDocument } from "./conformance.ts";

export interface Account {
  accountId: string;
  keyId: string;
  key: string;
}

/** What the services under test show each other, and an operator shows them. */
export const fleetSecret = "secret-of-the-test-fleet";

/** A gateway of its own, in the shape under test, with its own database and provider. */
export interface Stack {
  url: string;
  simulator: Simulator;
  catalogFile: string;
  databaseUrl: string;
  natsUrl: string | undefined;
  operator: Client<typeof OperatorService>;
  operatorAddress: string;
  /** A new account with credit and a key. */
  newAccount(creditUsd: number): Promise<Account>;
  /** Ends the broker, and answers what starts it again; nothing happens where there is none. */
  stopBroker(): Promise<() => Promise<void>>;
  /** Kills what runs the chat service with -9, and starts it again. */
  killChat(): Promise<void>;
  /**
   * Kills a service with -9, and answers what starts it again; undefined where all is one process.
   */
  killService: ((name: ServiceName) => Promise<() => Promise<void>>) | undefined;
  /** Cuts the gateway off from its database, and answers what lets it back in. */
  stopDatabase(): Promise<() => Promise<void>>;
  /** Starts another replica of what clients talk to, over the same database. */
  addReplica(): Promise<Replica>;
  /** Where its processes tell how they are. */
  operationsUrls: readonly string[];
  /** Resident memory of the largest of the gateway's processes; 0 where the system does not say. */
  memoryBytes(): number;
  stop(): Promise<void>;
}

export interface Replica {
  url: string;
  /** Ends it with -9. */
  kill(): Promise<void>;
  /** Asks it to end, and waits. */
  stop(): Promise<void>;
}

export async function startStack(env: NodeJS.ProcessEnv = {}): Promise<Stack> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-stack-"));
  const simulator = await startSimulator({ port: 0 });
  const catalogFile = join(folder, "catalog.yaml");
  await writeFile(catalogFile, testCatalog(simulator.url));
  const databaseName = `stack_${randomUUID().replaceAll("-", "")}`;
  const databaseUrl = await createDatabase(inject("postgresUrl"), databaseName);
  const natsPort = await freePort();
  const startBroker = () => startNatsServer({ dataFolder: folder, port: natsPort });
  let nats = inject("shape") === "fleet" ? await startBroker() : undefined;
  const shared: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    TOLLGATE_CATALOG: catalogFile,
    TOLLGATE_LOG: process.env.TOLLGATE_LOG ?? "silent",
    TEST_PROVIDER_KEY: "provider-secret",
    HOST: "127.0.0.1",
    TOLLGATE_FLEET_SECRET: fleetSecret,
    TOLLGATE_SPOOL_DIR: join(folder, "spool"),
    ...(nats === undefined ? {} : { NATS_URL: nats.url }),
    ...env,
  };
  const gateway = await (nats === undefined ? startAll(shared) : startAsFleet(shared));
  const operator = connectOperator(gateway.operatorAddress, fleetSecret);
  holdToDocument(gateway.url);
  return {
    url: gateway.url,
    simulator,
    catalogFile,
    databaseUrl,
    natsUrl: nats?.url,
    operator: operator.client,
    operatorAddress: gateway.operatorAddress,
    async newAccount(creditUsd) {
      const creditNanoUsd = BigInt(Math.round(creditUsd * 1e6)) * 1_000n;
      const { account } = await operator.client.createAccount({
        name: randomUUID(),
        creditNanoUsd,
      });
      const accountId = account?.id ?? "";
      const { keyId, key } = await operator.client.createKey({ account: accountId });
      return { accountId, keyId, key };
    },
    killChat: gateway.killChat,
    killService: gateway.killService,
    operationsUrls: gateway.operationsAddresses.map((address) => `http://${address}`),
    stopDatabase: () => closeDatabase(inject("postgresUrl"), databaseName),
    async addReplica() {
      const child = await gateway.addReplica();
      const url = child.ready.url ?? "";
      holdToDocument(url);
      return {
        url,
        async kill() {
          child.kill("SIGKILL");
          await child.exited;
        },
        stop: child.stop,
      };
    },
    async stopBroker() {
      await nats?.stop();
      return async () => {
        if (nats !== undefined) nats = await startBroker();
      };
    },
    memoryBytes: () => Math.max(...gateway.pids().map(residentBytes)),
    async stop() {
      operator.close();
      await gateway.stop();
      await nats?.stop();
      await simulator.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Ends all connections to a database and lets no new ones in. Answers what lets them in again. */
async function closeDatabase(url: string, name: string): Promise<() => Promise<void>> {
  const run = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  await run(
    `ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
  return () => run(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`);
}

interface Gateway {
  url: string;
  operatorAddress: string;
  operationsAddresses: readonly string[];
  killChat(): Promise<void>;
  killService: Stack["killService"];
  addReplica(): Promise<Child>;
  pids(): number[];
  stop(): Promise<void>;
}

const pageBytes = 4_096;

function residentBytes(pid: number): number {
  try {
    const [, pages = "0"] = readFileSync(`/proc/${pid}/statm`, "latin1").split(" ");
    return Number(pages) * pageBytes;
  } catch {
    return 0;
  }
}

async function startAll(shared: NodeJS.ProcessEnv): Promise<Gateway> {
  const main = new URL(import.meta.resolve("@tollgate/tollgate/main"));
  const operatorAddress = `127.0.0.1:${await freePort()}`;
  const operationsAddress = `127.0.0.1:${await freePort()}`;
  const env = {
    PORT: String(await freePort()),
    ...shared,
    TOLLGATE_LISTEN: operatorAddress,
    TOLLGATE_OPERATIONS_LISTEN: operationsAddress,
  };
  const start = () => startChild("all", main, ["--target", "all"], env);
  let child: Child = await start();
  const more: Child[] = [];
  return {
    url: `http://127.0.0.1:${env.PORT}`,
    operatorAddress,
    operationsAddresses: [operationsAddress],
    async killChat() {
      child.kill("SIGKILL");
      await child.exited;
      child = await start();
    },
    killService: undefined,
    async addReplica() {
      const listen = `127.0.0.1:${await freePort()}`;
      const own = {
        ...env,
        PORT: String(await freePort()),
        TOLLGATE_LISTEN: listen,
        TOLLGATE_OPERATIONS_LISTEN: "",
      };
      const replica = await startChild("all", main, ["--target", "all"], own);
      more.push(replica);
      return replica;
    },
    pids: () => [child.pid],
    async stop() {
      for (const replica of more) await replica.stop();
      await child.stop();
    },
  };
}

async function startAsFleet(shared: NodeJS.ProcessEnv): Promise<Gateway> {
  const fleet = await startFleet(shared, 0);
  const killService = async (name: ServiceName) => {
    const service = fleet.process(name);
    service?.kill("SIGKILL");
    await service?.exited;
    return () => fleet.restart(name);
  };
  return {
    url: fleet.url,
    operatorAddress: fleet.billingAddress,
    operationsAddresses: serviceNames.flatMap((name) =>
      fleet.replicas(name).map(({ operationsListen }) => operationsListen),
    ),
    async killChat() {
      const startAgain = await killService("chat");
      await startAgain();
    },
    killService,
    addReplica: fleet.addEdge,
    pids: fleet.pids,
    stop: fleet.stop,
  };
}
