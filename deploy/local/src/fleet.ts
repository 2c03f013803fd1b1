import { type ServiceName, serviceNames } from "@tollgate/runtime/service";
import { type Child, startChild } from "./child.ts";
import { freePort } from "./free-port.ts";

const main = new URL(import.meta.resolve("@tollgate/tollgate/main"));

export interface Fleet {
  url: string;
  /** Where each replica of the edge listens. */
  urls: readonly string[];
  /** Where billing answers the operator's commands. */
  billingAddress: string;
  /** The first replica of a service. */
  process(name: ServiceName): Child | undefined;
  /** Of the replicas that it started with, without edges that were added. */
  pids(): number[];
  seats(name: ServiceName): readonly Seat[];
  /** Starts another edge beside the first, on a port of its own. */
  addEdge(): Promise<Child>;
  /** Starts a replica again after it ended, at the addresses it had. */
  restart(name: ServiceName, replica?: number): Promise<void>;
  stop(): Promise<void>;
}

/** The place of one replica: its addresses stay while processes come and go. */
export interface Seat {
  name: ServiceName;
  child: Child | undefined;
  listen: string;
  httpListen: string;
  /** Where it tells how it is. */
  operationsListen: string;
  port: number;
}

/**
 * Starts every service as processes of its own on this machine, gRPC between them; `replicas` of
 * each, 1 by default.
 */
export async function startFleet(
  env: NodeJS.ProcessEnv,
  port: number,
  replicas = 1,
): Promise<Fleet> {
  const seats = new Map<ServiceName, Seat[]>();
  for (const name of serviceNames) {
    const own: Seat[] = [];
    for (let index = 0; index < replicas; index += 1) {
      own.push(await newSeat(name, index === 0 ? port : 0));
    }
    seats.set(name, own);
  }
  const shared: NodeJS.ProcessEnv = { ...env };
  for (const [name, own] of seats) {
    const variable = `TOLLGATE_${name.toUpperCase()}`;
    shared[`${variable}_ADDRESS`] = own.map(({ listen }) => listen).join(",");
    shared[`${variable}_HTTP_ADDRESS`] = own.map(({ httpListen }) => httpListen).join(",");
  }
  const added: Seat[] = [];

  async function stop(): Promise<void> {
    for (const { child } of added) await child?.stop();
    for (const name of serviceNames.toReversed()) {
      await Promise.all((seats.get(name) ?? []).map(({ child }) => child?.stop()));
    }
  }

  try {
    for (const name of serviceNames) {
      for (const seat of seats.get(name) ?? []) await startIn(seat, shared);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const edges = seats.get("edge") ?? [];
  return {
    url: edges[0]?.child?.ready.url ?? "",
    urls: edges.map(({ child }) => child?.ready.url ?? ""),
    billingAddress: seats.get("billing")?.[0]?.listen ?? "",
    process: (name) => seats.get(name)?.[0]?.child,
    pids: () => [...seats.values()].flat().flatMap(({ child }) => child?.pid ?? []),
    seats: (name) => seats.get(name) ?? [],
    async addEdge() {
      const seat = await newSeat("edge", 0);
      added.push(seat);
      return startIn(seat, shared);
    },
    async restart(name, replica = 0) {
      const seat = seats.get(name)?.[replica];
      if (seat !== undefined) await startIn(seat, shared);
    },
    stop,
  };
}

async function newSeat(name: ServiceName, port: number): Promise<Seat> {
  const address = async () => `127.0.0.1:${await freePort()}`;
  return {
    name,
    child: undefined,
    listen: await address(),
    httpListen: await address(),
    operationsListen: await address(),
    port: port === 0 ? await freePort() : port,
  };
}

async function startIn(seat: Seat, shared: NodeJS.ProcessEnv): Promise<Child> {
  const env = {
    ...shared,
    PORT: String(seat.port),
    TOLLGATE_LISTEN: seat.listen,
    TOLLGATE_HTTP_LISTEN: seat.httpListen,
    TOLLGATE_OPERATIONS_LISTEN: seat.operationsListen,
  };
  seat.child = await startChild(seat.name, main, ["--target", seat.name], env);
  return seat.child;
}
