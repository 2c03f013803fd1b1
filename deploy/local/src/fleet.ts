import { rm } from "node:fs/promises";
import { bracketed } from "@tollgate/core/listen-host";
import { type ServiceName, serviceNames } from "@tollgate/runtime/service";
import type { Child } from "./child.ts";
import { freePort } from "./free-port.ts";
import { environmentOf } from "./service-environment.ts";
import { startTargetProcess } from "./target-process.ts";

const ownMain = new URL(import.meta.resolve("@tollgate/program/main"));

export interface Fleet {
  /** The URL of the first edge. */
  url: string;
  /** The URL of each edge replica. */
  urls: readonly string[];
  /** The address at which billing serves the operator's commands. */
  billingAddress: string;
  /** Where browsers reach the console; undefined where it is disabled. */
  consoleUrl: string | undefined;
  /** Returns the process of a service's first replica. */
  process(name: ServiceName): Child | undefined;
  /** Returns the process ids of all replicas except added edges. */
  pids(): number[];
  replicas(name: ServiceName): readonly ReplicaProcess[];
  /** Starts one more edge on its own port. */
  addEdge(): Promise<Child>;
  /** Starts a replica whose process has ended again, at the same addresses. */
  restart(name: ServiceName, replica?: number): Promise<void>;
  stop(): Promise<void>;
}

/** One replica of a service. Its addresses stay the same when its process is restarted. */
export interface ReplicaProcess {
  name: ServiceName;
  child: Child | undefined;
  listen: string;
  httpListen: string;
  /** Serves health checks and metrics. */
  operationsListen: string;
  /** Where a console listens for browsers; empty for none. */
  consoleListen: string;
  port: number;
}

export interface FleetOptions {
  /** Processes of each service. Default: 1. */
  replicas?: number;
  /** The address of the first billing. Default: one with a free port. */
  operatorAddress?: string;
  /** Where the processes listen. Default: 127.0.0.1. */
  host?: string;
  /** The services to start. Default: all. */
  services?: readonly ServiceName[];
  /** The addresses of services that run elsewhere. */
  addresses?: Readonly<Partial<Record<ServiceName, string>>>;
  /** The program of each process, such as that of a bundle. Default: that of this checkout. */
  main?: URL;
}

/**
 * Starts the processes of the services on this machine, all at once. They call each other over gRPC.
 * The first edge listens on `port`; 0 picks a free port. The first console listens at
 * TOLLGATE_CONSOLE_LISTEN, by default on a free port.
 */
export async function startFleet(
  env: NodeJS.ProcessEnv,
  port: number,
  options: FleetOptions = {},
): Promise<Fleet> {
  const { replicas: replicaCount = 1, operatorAddress } = options;
  const { services = serviceNames, main = ownMain, host = "127.0.0.1", addresses } = options;
  const replicas = await newReplicas(host, port, replicaCount);
  for (const [index, replica] of (replicas.get("console") ?? []).entries()) {
    const { TOLLGATE_CONSOLE_LISTEN: listen = replica.consoleListen } = env;
    if (index === 0 || listen === "") replica.consoleListen = listen;
  }
  const billing = replicas.get("billing")?.[0];
  if (billing !== undefined) billing.listen = operatorAddress ?? billing.listen;
  const edgeUrl = `http://127.0.0.1:${replicas.get("edge")?.[0]?.port ?? port}`;
  const edgeVariables = { TOLLGATE_EDGE_URL: edgeUrl, TOLLGATE_PUBLIC_URL: edgeUrl };
  const sharedEnv = { ...edgeVariables, ...env, ...addressVariables(replicas, addresses) };
  const added: ReplicaProcess[] = [];
  const startOne = (replica: ReplicaProcess) => startReplica(replica, sharedEnv, main);

  async function stop(): Promise<void> {
    for (const { child } of added) await child?.stop();
    for (const name of serviceNames.toReversed()) {
      await Promise.all((replicas.get(name) ?? []).map(({ child }) => child?.stop()));
    }
  }

  try {
    const all = services.flatMap((name) => replicas.get(name) ?? []);
    const started = await Promise.allSettled(all.map(startOne));
    for (const result of started) if (result.status === "rejected") throw result.reason;
  } catch (error) {
    await stop();
    throw error;
  }
  const edges = replicas.get("edge") ?? [];
  return {
    url: edges[0]?.child?.ready.url ?? "",
    urls: edges.map(({ child }) => child?.ready.url ?? ""),
    billingAddress: billing?.listen ?? "",
    consoleUrl: replicas.get("console")?.[0]?.child?.ready.consoleUrl,
    process: (name) => replicas.get(name)?.[0]?.child,
    pids: () => [...replicas.values()].flat().flatMap(({ child }) => child?.pid ?? []),
    replicas: (name) => replicas.get(name) ?? [],
    async addEdge() {
      const replica = await newReplica("edge", host, 0);
      added.push(replica);
      return startOne(replica);
    },
    async restart(name, index = 0) {
      const replica = replicas.get(name)?.[index];
      if (replica !== undefined) await startOne(replica);
    },
    stop,
  };
}

/** Returns the environment variables by which the services find each other. */
function addressVariables(
  replicas: ReadonlyMap<ServiceName, readonly ReplicaProcess[]>,
  elsewhere: FleetOptions["addresses"] = {},
) {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, own] of replicas) {
    const variable = `TOLLGATE_${name.toUpperCase()}`;
    env[`${variable}_ADDRESS`] = elsewhere[name] ?? own.map(({ listen }) => listen).join(",");
    env[`${variable}_HTTP_ADDRESS`] = own.map(({ httpListen }) => httpListen).join(",");
  }
  return env;
}

async function newReplicas(
  host: string,
  port: number,
  replicaCount: number,
): Promise<ReadonlyMap<ServiceName, ReplicaProcess[]>> {
  const replicas = new Map<ServiceName, ReplicaProcess[]>();
  for (const name of serviceNames) {
    const own: ReplicaProcess[] = [];
    for (let index = 0; index < replicaCount; index += 1) {
      own.push(await newReplica(name, host, index === 0 ? port : 0));
    }
    replicas.set(name, own);
  }
  return replicas;
}

async function newReplica(name: ServiceName, host: string, port: number): Promise<ReplicaProcess> {
  const address = async () => `${bracketed(host)}:${await freePort(host)}`;
  return {
    name,
    child: undefined,
    listen: await address(),
    httpListen: await address(),
    operationsListen: await address(),
    consoleListen: await address(),
    port: port === 0 ? await freePort(host) : port,
  };
}

const socketPrefix = "unix:";

async function startReplica(
  replica: ReplicaProcess,
  sharedEnv: NodeJS.ProcessEnv,
  main: URL,
): Promise<Child> {
  // A process that was killed leaves its socket behind.
  if (replica.listen.startsWith(socketPrefix)) {
    await rm(replica.listen.slice(socketPrefix.length), { force: true });
  }
  const env = {
    ...environmentOf(replica.name, sharedEnv),
    PORT: String(replica.port),
    TOLLGATE_LISTEN: replica.listen,
    TOLLGATE_HTTP_LISTEN: replica.httpListen,
    TOLLGATE_OPERATIONS_LISTEN: replica.operationsListen,
    TOLLGATE_CONSOLE_LISTEN: replica.consoleListen,
  };
  replica.child = await startTargetProcess({ main, target: replica.name }, env);
  return replica.child;
}
