import { readFileSync } from "node:fs";
import type { Child } from "@tollgate/local/child";
import { startFleet } from "@tollgate/local/fleet";
import { freePort } from "@tollgate/local/free-port";
import { startTargetProcess } from "@tollgate/local/target-process";
import { type ServiceName, serviceNames } from "@tollgate/runtime/service";

/** The processes of a running gateway, each started with the same environment. */
export interface GatewayUnderTest {
  url: string;
  /** The addresses of all replicas that it started with. */
  urls: readonly string[];
  /** The URL of the console's first replica. */
  consoleUrl: string;
  operatorAddress: string;
  operationsAddresses: readonly string[];
  /** Returns the address at which the first replica of a service serves calls. */
  addressOf(name: ServiceName): string;
  killChat(): Promise<void>;
  killService: ((name: ServiceName) => Promise<() => Promise<void>>) | undefined;
  /** Does the same with SIGTERM. Resolves once the process has exited. */
  stopService: ((name: ServiceName) => Promise<() => Promise<void>>) | undefined;
  /** Starts one more, in one process with `env` on top of the environment. */
  addReplica(env?: NodeJS.ProcessEnv): Promise<Child>;
  /** Returns the id of the process of a service's first replica. */
  pidOf(name: ServiceName): number;
  /** Returns the resident memory of the largest process; 0 where the OS has no /proc. */
  memoryBytes(): number;
  stop(): Promise<void>;
  /** Kills every process with SIGKILL, without waiting. */
  kill(): void;
}

/** Starts every service in one process, and more such processes where `replicas` is above 1. */
export async function startGatewayProcess(
  main: URL,
  shared: NodeJS.ProcessEnv,
  replicas = 1,
): Promise<GatewayUnderTest> {
  const operatorAddress = `127.0.0.1:${await freePort()}`;
  const operationsAddress = `127.0.0.1:${await freePort()}`;
  const env = {
    PORT: String(await freePort()),
    ...shared,
    TOLLGATE_LISTEN: operatorAddress,
    TOLLGATE_OPERATIONS_LISTEN: operationsAddress,
  };
  const program = { main, target: "all" };
  const start = () => startTargetProcess(program, env);
  let child: Child = await start();
  const more: Child[] = [];
  const addReplica = async (replicaEnv: NodeJS.ProcessEnv = {}) => {
    const listen = `127.0.0.1:${await freePort()}`;
    const own = {
      ...env,
      PORT: String(await freePort()),
      TOLLGATE_LISTEN: listen,
      TOLLGATE_OPERATIONS_LISTEN: "",
      ...replicaEnv,
    };
    const replica = await startTargetProcess(program, own);
    more.push(replica);
    return replica;
  };
  while (more.length < replicas - 1) await addReplica();
  const url = `http://127.0.0.1:${env.PORT}`;
  return {
    url,
    urls: [url, ...more.map(({ ready }) => ready.url ?? "")],
    consoleUrl: child.ready.consoleUrl ?? "",
    operatorAddress,
    operationsAddresses: [operationsAddress],
    addressOf: () => operatorAddress,
    async killChat() {
      child.kill("SIGKILL");
      await child.exited;
      child = await start();
    },
    killService: undefined,
    stopService: undefined,
    addReplica,
    pidOf: () => child.pid,
    memoryBytes: () => residentBytes(child.pid),
    async stop() {
      for (const replica of more) await replica.stop();
      await child.stop();
    },
    kill() {
      for (const process of [child, ...more]) process.kill("SIGKILL");
    },
  };
}

/** Starts `replicas` processes for each of the services. */
export async function startAsFleet(
  main: URL,
  shared: NodeJS.ProcessEnv,
  replicas = 1,
  services: readonly ServiceName[] = serviceNames,
): Promise<GatewayUnderTest> {
  const fleet = await startFleet(shared, 0, { main, replicas, services });
  const killService = async (name: ServiceName) => {
    const service = fleet.process(name);
    service?.kill("SIGKILL");
    await service?.exited;
    return () => fleet.restart(name);
  };
  const stopService = async (name: ServiceName) => {
    await fleet.process(name)?.stop();
    return () => fleet.restart(name);
  };
  const edges: Child[] = [];
  return {
    url: fleet.url,
    urls: fleet.urls,
    consoleUrl: fleet.consoleUrl ?? "",
    operatorAddress: fleet.billingAddress,
    operationsAddresses: services.flatMap((name) =>
      fleet.replicas(name).map(({ operationsListen }) => operationsListen),
    ),
    addressOf: (name) => fleet.replicas(name)[0]?.listen ?? "",
    async killChat() {
      const startAgain = await killService("chat");
      await startAgain();
    },
    killService,
    stopService,
    async addReplica() {
      const edge = await fleet.addEdge();
      edges.push(edge);
      return edge;
    },
    pidOf: (name) => fleet.process(name)?.pid ?? 0,
    memoryBytes: () => Math.max(...fleet.pids().map(residentBytes)),
    stop: fleet.stop,
    kill() {
      for (const { child } of serviceNames.flatMap(fleet.replicas)) child?.kill("SIGKILL");
      for (const edge of edges) edge.kill("SIGKILL");
    },
  };
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
