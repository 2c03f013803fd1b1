import { mkdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { operatorSocket } from "@tollgate/billing/cli/operator-address";
import { StartError } from "@tollgate/core/errors";
import { runUntilStopped, startTarget } from "@tollgate/tollgate/run";
import { openDataFolder } from "./data-folder.ts";
import { createDemoKey } from "./demo-key.ts";
import { startDemoProvider } from "./demo-provider.ts";
import { startFleet } from "./fleet.ts";
import { startNatsServer } from "./nats-server.ts";
import { startPostgres } from "./postgres.ts";
import { welcomeText } from "./welcome.ts";

const demoCatalog = fileURLToPath(import.meta.resolve("@tollgate/simulator/demo-catalog.yaml"));

/** Stops one started part. Parts are stopped in reverse order. */
type Stop = () => Promise<void>;

/**
 * The program of `npm start`: runs the gateway in one process, and starts a Postgres and a
 * simulated provider where the environment names none. With `--fleet`, each service is a process,
 * and a NATS server is started, too. With `--target SERVICE`, runs only that service; then the
 * environment must name all its dependencies.
 */
await runUntilStopped(async () => {
  const { target, fleet } = readArguments(process.argv.slice(2));
  if (target !== "all") return startTarget(target, process.env);
  const stops: Stop[] = [];
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  const ignoreSignals = exitOnSignals();
  try {
    await startEverything(fleet, stops);
  } catch (error) {
    await stop();
    throw error instanceof StartError ? error : new StartError((error as Error).message);
  } finally {
    ignoreSignals();
  }
  return { stop };
});

/**
 * Exits on Ctrl-C during the start, which ends the processes that are already running: they have
 * their own process groups and would not receive the signal. Returns a function that removes the
 * handlers.
 */
function exitOnSignals(): () => void {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const exit = () => process.exit(1);
  for (const signal of signals) process.on(signal, exit);
  return () => {
    for (const signal of signals) process.off(signal, exit);
  };
}

async function startEverything(fleet: boolean, stops: Stop[]): Promise<void> {
  const env: NodeJS.ProcessEnv = { ...process.env };
  const dataFolder = resolve(env.TOLLGATE_DATA_DIR || ".data");
  env.TOLLGATE_SPOOL_DIR ||= join(dataFolder, "spool");
  env.TOLLGATE_LOG ??= process.stderr.isTTY ? "warn" : "info";
  const data = await openDataFolder(dataFolder);
  stops.push(async () => data.release());
  if (!env.DATABASE_URL) {
    const postgres = await startPostgres({ dataFolder });
    stops.push(postgres.stop);
    env.DATABASE_URL = postgres.url;
  }
  const isDemo = !env.TOLLGATE_CATALOG;
  if (isDemo) {
    const provider = await startDemoProvider(env);
    stops.push(provider.stop);
    env.TOLLGATE_CATALOG = demoCatalog;
    env.TOLLGATE_SIMULATOR_URL = `${provider.url}/v1`;
  }
  const gateway = fleet
    ? await startAsFleet(env, dataFolder, stops)
    : await startInProcess(env, dataFolder, stops);
  const key = isDemo ? await createDemoKey(gateway.operatorAddress) : undefined;
  process.stdout.write(welcomeText({ url: gateway.url, key }));
}

async function startInProcess(env: NodeJS.ProcessEnv, dataFolder: string, stops: Stop[]) {
  const socket = operatorSocket(dataFolder);
  await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
  await rm(socket, { force: true });
  const operatorAddress = env.TOLLGATE_LISTEN || `unix:${socket}`;
  const program = await startTarget("all", { ...env, TOLLGATE_LISTEN: operatorAddress });
  stops.push(program.stop);
  return { url: program.url ?? "", operatorAddress };
}

async function startAsFleet(env: NodeJS.ProcessEnv, dataFolder: string, stops: Stop[]) {
  if (!env.NATS_URL) {
    const nats = await startNatsServer({ dataFolder });
    stops.push(nats.stop);
    env.NATS_URL = nats.url;
  }
  const fleet = await startFleet(env, Number(env.PORT || 8_080));
  stops.push(fleet.stop);
  process.stdout.write(
    `For operator commands, set TOLLGATE_BILLING_ADDRESS=${fleet.billingAddress}\n`,
  );
  return { url: fleet.url, operatorAddress: fleet.billingAddress };
}

function readArguments(args: string[]): { target: string; fleet: boolean } {
  try {
    const { values } = parseArgs({
      args,
      options: {
        target: { type: "string", default: "all" },
        fleet: { type: "boolean", default: false },
      },
    });
    return values;
  } catch (error) {
    throw new StartError((error as Error).message);
  }
}
