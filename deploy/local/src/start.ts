import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { StartError } from "@tollgate/core/errors";
import { runUntilStopped, startTarget } from "@tollgate/program/run";
import { announce } from "./announce.ts";
import { openDataFolder } from "./data-folder.ts";
import { publishDemoCatalog } from "./demo-catalog.ts";
import { createDemoKey } from "./demo-key.ts";
import { startDemoProvider } from "./demo-provider.ts";
import { startFleet } from "./fleet.ts";
import { startNatsServer } from "./nats-server.ts";
import { type OperatorSocket, prepareOperatorSocket } from "./operator-socket.ts";
import { startPostgres } from "./postgres.ts";
import { openSecretsKey } from "./secrets-key.ts";
import { createSignInUrl } from "./sign-in-url.ts";
import { connectionsOf, startWorkers, workerCount } from "./workers.ts";

const secretBytes = 32;

function newSecret(): string {
  return randomBytes(secretBytes).toString("base64url");
}

/** Stops one started part. Parts are stopped in reverse order. */
type Stop = () => Promise<void>;

/**
 * The program of `npm start`: runs the gateway in one process, and starts a Postgres and a
 * simulated provider where the environment names none. With `--workers N`, as many processes share
 * its port. With `--fleet`, each service is a process, and a NATS server is started, too. With
 * `--target SERVICE`, runs only that service; then the environment must name all its dependencies.
 */
await runUntilStopped(async () => {
  const { target, fleet, workers } = readArguments(process.argv.slice(2));
  if (target !== "all") return startTarget(target, process.env);
  const stops: Stop[] = [];
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  const ignoreSignals = exitOnSignals();
  try {
    await startEverything({ fleet, workers }, stops);
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

/** How the gateway runs: as a fleet, or as some number of processes that are all of it. */
interface Shape {
  fleet: boolean;
  workers: number;
}

async function startEverything({ fleet, workers }: Shape, stops: Stop[]): Promise<void> {
  const env: NodeJS.ProcessEnv = { ...process.env };
  const dataFolder = resolve(env.TOLLGATE_DATA_DIR || ".data");
  env.TOLLGATE_SPOOL_DIR ||= join(dataFolder, "spool");
  env.TOLLGATE_CONSOLE_LISTEN ??= "127.0.0.1:8081";
  env.TOLLGATE_LOG ??= process.stderr.isTTY ? "warn" : "info";
  const data = await openDataFolder(dataFolder);
  stops.push(async () => data.release());
  if (!env.DATABASE_URL) {
    const postgres = await startPostgres({ dataFolder, connections: connectionsOf(workers) });
    stops.push(postgres.stop);
    env.DATABASE_URL = postgres.url;
  }
  env.TOLLGATE_SECRETS_KEY ||= await openSecretsKey(dataFolder);
  const isFile = Boolean(env.TOLLGATE_CATALOG);
  if (!isFile) {
    const provider = await startDemoProvider(env);
    stops.push(provider.stop);
    env.TOLLGATE_CATALOG_COPY ||= join(dataFolder, "catalog.json");
    env.TOLLGATE_SIMULATOR_URL = `${provider.url}/v1`;
  }
  // The services of a fleet accept calls on ports, which every user of this machine can reach.
  if (fleet) env.TOLLGATE_FLEET_SECRET ??= newSecret();
  if (env.TOLLGATE_FLEET_SECRET) env.TOLLGATE_OPERATOR_SECRET ||= newSecret();
  const { TOLLGATE_FLEET_SECRET: fleetSecret, TOLLGATE_OPERATOR_SECRET: operator } = env;
  const secrets = fleetSecret === undefined ? {} : { fleet: fleetSecret, operator };
  const socket = await prepareOperatorSocket(dataFolder, secrets);
  stops.push(socket.remove);
  const gateway = fleet
    ? await startAsFleet(env, dataFolder, socket, stops)
    : await startWhole(env, workers, socket, stops);
  const { url, consoleUrl, operatorAddress } = gateway;
  if (consoleUrl !== undefined) await socket.storeConsoleUrl(consoleUrl);
  if (!isFile) await publishDemoCatalog(operatorAddress, secrets);
  const key = isFile ? undefined : await createDemoKey(operatorAddress, dataFolder, secrets);
  const signInUrl = consoleUrl && (await createSignInUrl(consoleUrl, operatorAddress, secrets));
  await announce({ url, key, signInUrl }, dataFolder, process.stdout);
}

async function startWhole(
  env: NodeJS.ProcessEnv,
  count: number,
  socket: OperatorSocket,
  stops: Stop[],
) {
  const operatorAddress = env.TOLLGATE_LISTEN || socket.address;
  if (count > 1) {
    const onOperatorSocket = socket.restrict;
    const workers = await startWorkers(env, { count, operatorAddress, onOperatorSocket });
    stops.push(workers.stop);
    return { url: workers.url, consoleUrl: workers.consoleUrl, operatorAddress };
  }
  const program = await startTarget("all", { ...env, TOLLGATE_LISTEN: operatorAddress });
  stops.push(program.stop);
  if (operatorAddress === socket.address) await socket.restrict();
  return { url: program.url ?? "", consoleUrl: program.consoleUrl, operatorAddress };
}

async function startAsFleet(
  env: NodeJS.ProcessEnv,
  dataFolder: string,
  socket: OperatorSocket,
  stops: Stop[],
) {
  if (!env.NATS_URL) {
    const nats = await startNatsServer({ dataFolder });
    stops.push(nats.stop);
    env.NATS_URL = nats.url;
  }
  const fleet = await startFleet(env, Number(env.PORT || 8_080), {
    operatorAddress: socket.address,
  });
  stops.push(fleet.stop);
  await socket.restrict();
  return { url: fleet.url, consoleUrl: fleet.consoleUrl, operatorAddress: fleet.billingAddress };
}

function readArguments(args: string[]): { target: string } & Shape {
  const { target, fleet, workers } = parseFlags(args);
  const count = workerCount(workers);
  if (count > 1 && (fleet || target !== "all")) {
    throw new StartError("--workers: not with --fleet or --target");
  }
  return { target, fleet, workers: count };
}

function parseFlags(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        target: { type: "string", default: "all" },
        fleet: { type: "boolean", default: false },
        workers: { type: "string", default: "1" },
      },
    });
    return values;
  } catch (error) {
    throw new StartError((error as Error).message);
  }
}
