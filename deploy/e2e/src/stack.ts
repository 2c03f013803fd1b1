import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Child } from "@tollgate/local/child";
import { freePort } from "@tollgate/local/free-port";
import { startNatsServer } from "@tollgate/local/nats-server";
import { connectOperator } from "@tollgate/local/operator";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { FleetCertificates } from "@tollgate/rpc/fleet-certificates";
import type { Client } from "@tollgate/rpc/implementation";
import type { ServiceName } from "@tollgate/runtime/service";
import { exampleCredentials } from "@tollgate/simulator/converse/authorization";
import { type Simulator, startSimulator } from "@tollgate/simulator/simulator";
import { inject } from "vitest";
import { testCatalog } from "./catalog/catalog.ts";
import { checkAgainstDocument } from "./conformance.ts";
import { startAsFleet, startGatewayProcess } from "./gateway.ts";
import { bundleCache, gatewayProgram } from "./programs.ts";
import { sharedDatabasePrefix } from "./shared-books.ts";
import { createStackDatabase } from "./stack-database.ts";

export interface TestAccount {
  accountId: string;
  keyId: string;
  key: string;
}

/** The secrets that the services under test and an operator authenticate with. */
export const testSecrets = {
  fleet: "secret-of-the-test-fleet",
  operator: "secret-of-the-test-operators",
};

/** A running gateway in the shape under test, with its database and its simulated provider. */
export interface Stack {
  url: string;
  /** The addresses of all replicas that the stack started with. */
  urls: readonly string[];
  /** The URL of the console. */
  consoleUrl: string;
  simulator: Simulator;
  catalogFile: string;
  databaseUrl: string;
  natsUrl: string | undefined;
  operator: Client<typeof OperatorService>;
  operatorAddress: string;
  /** Creates an account with credit and a key. Without a policy it has the gateway's. */
  newAccount(creditUsd: number, admission?: string): Promise<TestAccount>;
  /**
   * Starts another replica of the process that clients connect to, over the same database. In one process,
   * `env` is on top of the settings of the stack.
   */
  addReplica(env?: NodeJS.ProcessEnv): Promise<RunningReplica>;
  /** Returns the replica that tests may share. The first call starts it. */
  replica(): Promise<Pick<RunningReplica, "url">>;
  /** The base URLs of the processes' operations ports. */
  operationsUrls: readonly string[];
  /** Returns the resident memory of the gateway's largest process; 0 where the OS has no /proc. */
  memoryBytes(): number;
}

/** A stack that one test file starts for itself and may damage. */
export interface OwnStack extends Stack {
  /** Where its spool is, and the broker's files. */
  folder: string;
  /** The variables that its processes share. */
  env: Readonly<NodeJS.ProcessEnv>;
  /** Returns the address at which the first replica of a service serves calls. */
  addressOf(name: ServiceName): string;
  /** Stops the broker and returns a function that starts it again. Does nothing without one. */
  stopBroker(): Promise<() => Promise<void>>;
  /** Kills the process of the chat service with SIGKILL and starts it again. */
  killChat(): Promise<void>;
  /**
   * Kills a service with SIGKILL and returns a function that starts it again; undefined where all
   * services share one process.
   */
  killService: ((name: ServiceName) => Promise<() => Promise<void>>) | undefined;
  /** Does the same with SIGTERM, and resolves once the process has exited. */
  stopService: ((name: ServiceName) => Promise<() => Promise<void>>) | undefined;
  /** Returns the id of the process of a service, which may run others, too. */
  pidOf(name: ServiceName): number;
  /** Closes the database to the gateway and returns a function that opens it again. */
  stopDatabase(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export interface RunningReplica {
  url: string;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
  /** Sends SIGTERM and waits until it has exited. */
  stop(): Promise<void>;
}

const providerKeys = {
  TEST_PROVIDER_KEY: "provider-secret",
  TEST_SECOND_KEY: "second-secret",
  // That under which further ones are stored.
  TOLLGATE_SECRETS_KEY: Buffer.alloc(32, "k").toString("base64"),
  // That of prompts and responses.
  TOLLGATE_CONTENT_KEY: Buffer.alloc(32, "c").toString("base64"),
  ...exampleCredentials,
  AWS_SESSION_TOKEN: "session",
};

/** Where the packages of clouds find the token servers of the simulator. */
function tokenServers(simulatorUrl: string): NodeJS.ProcessEnv {
  return {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${simulatorUrl}/tokens/aws`,
    GCE_METADATA_HOST: new URL(simulatorUrl).host,
    METADATA_SERVER_DETECTION: "assume-present",
    IDENTITY_ENDPOINT: `${simulatorUrl}/tokens/azure`,
    IDENTITY_HEADER: "of-this-machine",
  };
}

/** Hashes of passwords take a millisecond. */
const cheapPasswords = { TOLLGATE_PASSWORD_COST: "5", NODE_ENV: "test" };

export interface StackOptions {
  /** Processes of each service, or of all services together. Default: 1. */
  replicas?: number;
  /** In a fleet, the services to start: a process takes a second of CPU to start. Default: all. */
  services?: readonly ServiceName[];
  /** The program of each process. Default: the bundle of this run. */
  main?: URL;
  /** Those of its services, where they call each other by TLS. */
  certificates?: FleetCertificates;
  /** Whether it serves several files: the books of its database are checked as the run ends. */
  isShared?: boolean;
}

/** The services of a stack that serves chat only. */
export const chatServices: readonly ServiceName[] = ["ledger", "billing", "chat", "edge"];

/**
 * Starts a stack with `env` on top of the settings that every stack has.
 *
 * Longer than 70 lines: what it starts, and what stops it, stand side by side.
 */
export async function startStack(
  env: NodeJS.ProcessEnv = {},
  {
    replicas = 1,
    services,
    main = gatewayProgram,
    certificates,
    isShared = false,
  }: StackOptions = {},
): Promise<OwnStack> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-stack-"));
  const simulator = await startSimulator({ port: 0 });
  const catalogFile = join(folder, "catalog.yaml");
  await writeFile(catalogFile, testCatalog(simulator.url));
  const database = await createStackDatabase(isShared ? sharedDatabasePrefix : "stack_");
  const natsPort = await freePort();
  const startBroker = () => startNatsServer({ dataFolder: folder, port: natsPort });
  let nats = inject("shape") === "fleet" ? await startBroker() : undefined;
  const shared: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    ...{ ...bundleCache, ...cheapPasswords },
    DATABASE_URL: database.url,
    TOLLGATE_CATALOG: catalogFile,
    TOLLGATE_LOG: process.env.TOLLGATE_LOG ?? "silent",
    ...{ ...providerKeys, ...tokenServers(simulator.url) },
    HOST: "127.0.0.1",
    TOLLGATE_CONSOLE_LISTEN: "127.0.0.1:0",
    TOLLGATE_FLEET_SECRET: testSecrets.fleet,
    TOLLGATE_OPERATOR_SECRET: testSecrets.operator,
    TOLLGATE_SPOOL_DIR: join(folder, "spool"),
    ...(nats === undefined ? {} : { NATS_URL: nats.url }),
    ...env,
  };
  const gateway = await (nats === undefined
    ? startGatewayProcess(main, shared, replicas)
    : startAsFleet(main, shared, replicas, services));
  const operator = connectPatiently(gateway.operatorAddress, certificates);
  for (const url of gateway.urls) checkAgainstDocument(url);
  const addReplica: Stack["addReplica"] = async (own) => toReplica(await gateway.addReplica(own));
  let sharedReplica: Promise<RunningReplica> | undefined;
  const kill = () => {
    gateway.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  killAtExit(kill);
  return {
    ...{ url: gateway.url, urls: gateway.urls, consoleUrl: gateway.consoleUrl },
    ...{ simulator, folder, catalogFile },
    ...{ env: shared, addressOf: gateway.addressOf },
    databaseUrl: database.url,
    natsUrl: nats?.url,
    operator: operator.client,
    operatorAddress: gateway.operatorAddress,
    async newAccount(creditUsd, admission = "") {
      const creditNanoUsd = BigInt(Math.round(creditUsd * 1e6)) * 1_000n;
      const { account } = await operator.client.createAccount({
        name: randomUUID(),
        creditNanoUsd,
        admission,
      });
      const accountId = account?.id ?? "";
      const { keyId, key } = await operator.client.createKey({ account: accountId });
      return { accountId, keyId, key };
    },
    ...{ killChat: gateway.killChat, killService: gateway.killService },
    ...{ stopService: gateway.stopService, pidOf: gateway.pidOf },
    operationsUrls: gateway.operationsAddresses.map((address) => `http://${address}`),
    stopDatabase: database.close,
    addReplica,
    replica() {
      sharedReplica ??= addReplica();
      return sharedReplica;
    },
    async stopBroker() {
      await nats?.stop();
      return async () => {
        if (nats !== undefined) nats = await startBroker();
      };
    },
    memoryBytes: gateway.memoryBytes,
    async stop() {
      process.removeListener("exit", kill);
      operator.close();
      await gateway.stop();
      await nats?.stop();
      await simulator.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Connects an operator whose calls wait longer than usual, for a busy machine. */
function connectPatiently(address: string, certificates: FleetCertificates | undefined) {
  return connectOperator(address, testSecrets, certificates, { timeoutMs: 30_000 });
}

/** Calls `kill` when this worker ends before its stack was stopped. */
function killAtExit(kill: () => void): void {
  process.once("exit", kill);
  // Vitest ends a worker with SIGTERM, which by default skips the `exit` event.
  if (process.listenerCount("SIGTERM") === 0) process.once("SIGTERM", () => process.exit());
}

function toReplica(child: Child): RunningReplica {
  const url = child.ready.url ?? "";
  checkAgainstDocument(url);
  return {
    url,
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
    stop: child.stop,
  };
}
