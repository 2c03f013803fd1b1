import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { testCatalog } from "@tollgate/e2e/catalog";
import type { ServiceName } from "@tollgate/kit/service";
import type { Child } from "@tollgate/local/child";
import { type Fleet, startFleet } from "@tollgate/local/fleet";
import { type NatsServer, startNatsServer } from "@tollgate/local/nats-server";
import { type EmbeddedPostgres, startPostgres } from "@tollgate/local/postgres";
import { type Simulator, startSimulator } from "@tollgate/simulator/simulator";

/** The whole of an installation, each part a process that can be harmed. */
export interface Grounds {
  /** Every edge's address. */
  edges: readonly string[];
  fleet: Fleet;
  simulator: Simulator;
  databaseUrl: string;
  natsUrl: string;
  /** Kills a service with -9, and answers what starts it again. */
  killService(name: ServiceName, replica: number): Promise<() => Promise<void>>;
  /** Stops the broker as `signal` does, and answers what starts it again. */
  endBroker(signal: "SIGTERM" | "SIGKILL"): Promise<() => Promise<void>>;
  pauseBroker(): () => void;
  /** Ends Postgres as a crash of its machine would, and answers what starts it again. */
  crashDatabase(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export const fleetSecret = "secret-of-the-fleet-under-fire";

const reviveEveryMs = 200;
const revivePatienceMs = 60_000;

/**
 * Starts an installation in a folder of its own, which goes when it is stopped: two edges, and so
 * many replicas of each service. Its database is faster where it need not be `durable`.
 */
export async function startGrounds(
  settings: NodeJS.ProcessEnv,
  replicas = 1,
  durable = true,
): Promise<Grounds> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-faults-"));
  // Postgres runs as another user where this runs as root, and then must be able to enter.
  await chmod(folder, 0o711);
  const simulator = await startSimulator({ port: 0 });
  const catalogFile = join(folder, "catalog.yaml");
  await writeFile(catalogFile, testCatalog(simulator.url));
  let postgres = await startPostgres({ dataFolder: folder, durable });
  const natsFolder = join(folder, "broker");
  await mkdir(natsFolder);
  let nats = await startNatsServer({ dataFolder: natsFolder });
  const databaseUrl = postgres.url;
  const natsUrl = nats.url;
  const fleet = await startFleet(
    {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      NATS_URL: natsUrl,
      TOLLGATE_CATALOG: catalogFile,
      TOLLGATE_LOG: "silent",
      TEST_PROVIDER_KEY: "provider-secret",
      HOST: "127.0.0.1",
      TOLLGATE_FLEET_SECRET: fleetSecret,
      TOLLGATE_SPOOL_DIR: join(folder, "spool"),
      ...settings,
    },
    0,
    replicas,
  );
  const second = replicas === 1 ? (await fleet.addEdge()).ready.url : fleet.urls[1];
  return {
    edges: [fleet.url, second ?? ""],
    fleet,
    simulator,
    databaseUrl,
    natsUrl,
    async killService(name, replica) {
      await kill(fleet.replicas(name)[replica]?.child);
      return () => revive(() => fleet.restart(name, replica));
    },
    async endBroker(signal) {
      const port = portOf(natsUrl);
      process.kill(nats.pid, signal);
      await nats.stop();
      return () =>
        revive(async () => {
          nats = await startNatsServer({ dataFolder: natsFolder, port });
        });
    },
    pauseBroker() {
      const { pid } = nats;
      process.kill(pid, "SIGSTOP");
      return () => process.kill(pid, "SIGCONT");
    },
    async crashDatabase() {
      process.kill(postgres.pid, "SIGQUIT");
      await postgres.stop();
      return () =>
        revive(async () => {
          const port = portOf(databaseUrl);
          postgres = await startPostgres({ dataFolder: folder, durable, port });
        });
    },
    async stop() {
      await fleet.stop();
      await stopServers(nats, postgres);
      await simulator.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function stopServers(nats: NatsServer, postgres: EmbeddedPostgres): Promise<void> {
  await nats.stop();
  await postgres.stop();
}

async function kill(child: Child | undefined): Promise<void> {
  child?.kill("SIGKILL");
  await child?.exited;
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** As what restarts a container does: a service that cannot start yet is started again. */
async function revive(start: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + revivePatienceMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(reviveEveryMs);
    }
  }
}
