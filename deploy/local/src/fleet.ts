import { type ServiceName, serviceNames } from "@tollgate/kit/service";
import { type Child, startChild } from "./child.ts";
import { freePort } from "./free-port.ts";

const main = new URL(import.meta.resolve("@tollgate/tollgate/main"));

export interface Fleet {
  url: string;
  /** Where billing answers the operator's commands. */
  billingAddress: string;
  processes: ReadonlyMap<ServiceName, Child>;
  /** Starts another edge beside the first, on a port of its own. */
  addEdge(): Promise<Child>;
  /** Starts a service again after it ended, at the address it had. */
  restart(name: ServiceName): Promise<void>;
  stop(): Promise<void>;
}

/** Starts every service as a process of its own on this machine, gRPC between them. */
export async function startFleet(env: NodeJS.ProcessEnv, port: number): Promise<Fleet> {
  const addresses = new Map<ServiceName, string>();
  const httpAddresses = new Map<ServiceName, string>();
  for (const name of serviceNames) {
    addresses.set(name, `127.0.0.1:${await freePort()}`);
    httpAddresses.set(name, `127.0.0.1:${await freePort()}`);
  }
  const edgePort = port === 0 ? await freePort() : port;
  const shared: NodeJS.ProcessEnv = { ...env, PORT: String(edgePort) };
  for (const [name, address] of addresses) {
    shared[`TOLLGATE_${name.toUpperCase()}_ADDRESS`] = address;
    shared[`TOLLGATE_${name.toUpperCase()}_HTTP_ADDRESS`] = httpAddresses.get(name);
  }
  const processes = new Map<ServiceName, Child>();

  async function start(name: ServiceName): Promise<void> {
    const own = {
      ...shared,
      TOLLGATE_LISTEN: addresses.get(name),
      TOLLGATE_HTTP_LISTEN: httpAddresses.get(name),
    };
    processes.set(name, await startChild(name, main, ["--target", name], own));
  }

  const more: Child[] = [];

  async function addEdge(): Promise<Child> {
    const listen = `127.0.0.1:${await freePort()}`;
    const own = { ...shared, PORT: String(await freePort()), TOLLGATE_LISTEN: listen };
    const child = await startChild("edge", main, ["--target", "edge"], own);
    more.push(child);
    return child;
  }

  async function stop(): Promise<void> {
    for (const child of more) await child.stop();
    for (const name of serviceNames.toReversed()) await processes.get(name)?.stop();
  }

  try {
    for (const name of serviceNames) await start(name);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: processes.get("edge")?.ready.url ?? "",
    billingAddress: addresses.get("billing") ?? "",
    processes,
    addEdge,
    restart: start,
    stop,
  };
}
