import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { testCatalog } from "@tollgate/e2e/catalog/catalog";
import type { Child } from "@tollgate/local/child";
import { type Fleet, startFleet } from "@tollgate/local/fleet";
import { startNatsServer } from "@tollgate/local/nats-server";
import { startPostgres } from "@tollgate/local/postgres";
import type { ServiceName } from "@tollgate/runtime/service";
import { exampleCredentials } from "@tollgate/simulator/converse/authorization";
import { type Simulator, startSimulator } from "@tollgate/simulator/simulator";

/** A complete installation. Each part is a process that can be faulted. */
export interface FaultCluster {
  /** The URLs of two edges. */
  edges: readonly string[];
  fleet: Fleet;
  simulator: Simulator;
  databaseUrl: string;
  natsUrl: string;
  /** Kills a replica with SIGKILL. Resolves with a function that starts it again. */
  killReplica(name: ServiceName, replica: number): Promise<() => Promise<void>>;
  /** Ends the broker with `signal`. Resolves with a function that starts it again. */
  endBroker(signal: "SIGTERM" | "SIGKILL"): Promise<() => Promise<void>>;
  /** Suspends the broker. Returns a function that resumes it. */
  pauseBroker(): () => void;
  /** Ends Postgres without a checkpoint. Resolves with a function that starts it again. */
  crashDatabase(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export const clusterSecrets = {
  fleet: "fleet-secret-of-the-fault-tests",
  operator: "operator-secret-of-the-fault-tests",
};

const restartPauseMs = 200;
const restartTimeoutMs = 60_000;

/**
 * Starts an installation in a temporary folder: two edges, and `replicas` of each other service. It
 * removes the folder when it is stopped. With `durable: false`, the database does not sync its
 * writes. A `database` that is given runs already, and is not stopped.
 */
export async function startCluster(
  settings: NodeJS.ProcessEnv,
  replicas = 1,
  { durable = true, database: given }: { durable?: boolean; database?: { url: string } } = {},
): Promise<FaultCluster> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-faults-"));
  // When this runs as root, Postgres runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o711);
  const simulator = await startSimulator({ port: 0 });
  const catalogFile = join(folder, "catalog.yaml");
  await writeFile(catalogFile, testCatalog(simulator.url));
  const own = given === undefined ? await startDatabase(folder, durable) : undefined;
  const databaseUrl = (given ?? own)?.url ?? "";
  const broker = await startBroker(join(folder, "broker"));
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    NATS_URL: broker.url,
    TOLLGATE_CATALOG: catalogFile,
    TOLLGATE_LOG: "silent",
    TEST_PROVIDER_KEY: "provider-secret",
    TEST_SECOND_KEY: "second-secret",
    ...exampleCredentials,
    HOST: "127.0.0.1",
    TOLLGATE_FLEET_SECRET: clusterSecrets.fleet,
    TOLLGATE_OPERATOR_SECRET: clusterSecrets.operator,
    TOLLGATE_SPOOL_DIR: join(folder, "spool"),
    ...settings,
  };
  const fleet = await startFleet(env, 0, { replicas });
  const secondEdge = replicas === 1 ? (await fleet.addEdge()).ready.url : fleet.urls[1];
  return {
    edges: [fleet.url, secondEdge ?? ""],
    fleet,
    simulator,
    databaseUrl,
    natsUrl: broker.url,
    async killReplica(name, replica) {
      await kill(fleet.replicas(name)[replica]?.child);
      return () => restartUntilReady(() => fleet.restart(name, replica));
    },
    endBroker: broker.end,
    pauseBroker: broker.pause,
    crashDatabase:
      own?.crash ?? (() => Promise.reject(new Error("the cluster did not start its database"))),
    async stop() {
      await fleet.stop();
      await broker.stop();
      await own?.stop();
      await simulator.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startBroker(dataFolder: string) {
  await mkdir(dataFolder);
  let nats = await startNatsServer({ dataFolder });
  const { url } = nats;
  return {
    url,
    async end(signal: "SIGTERM" | "SIGKILL") {
      process.kill(nats.pid, signal);
      await nats.stop();
      return () =>
        restartUntilReady(async () => {
          nats = await startNatsServer({ dataFolder, port: portOf(url) });
        });
    },
    pause() {
      const { pid } = nats;
      process.kill(pid, "SIGSTOP");
      return () => void process.kill(pid, "SIGCONT");
    },
    stop: () => nats.stop(),
  };
}

async function startDatabase(dataFolder: string, durable: boolean) {
  let postgres = await startPostgres({ dataFolder, durable });
  const { url } = postgres;
  return {
    url,
    async crash() {
      process.kill(postgres.pid, "SIGQUIT");
      await postgres.stop();
      return () =>
        restartUntilReady(async () => {
          postgres = await startPostgres({ dataFolder, durable, port: portOf(url) });
        });
    },
    stop: () => postgres.stop(),
  };
}

async function kill(child: Child | undefined): Promise<void> {
  child?.kill("SIGKILL");
  await child?.exited;
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Starts a process again and again until it is ready, as a container runtime does. */
async function restartUntilReady(start: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + restartTimeoutMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(restartPauseMs);
    }
  }
}
