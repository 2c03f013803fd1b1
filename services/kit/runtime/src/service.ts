import type { DescService } from "@bufbuild/protobuf";
import type { Environment } from "@tollgate/core/config";
import type { Log } from "@tollgate/core/log";
import type { Trust } from "@tollgate/core/peer-auth";
import type { HttpAddress } from "@tollgate/http/address";
import type { Client, Offer } from "@tollgate/rpc/implementation";
import type { Broker } from "./broker/connection.ts";
import type { Notices } from "./broker/notices.ts";
import type { Metrics } from "./operations/metrics.ts";

export const serviceNames = [
  "ledger",
  "billing",
  "chat",
  "document",
  "image",
  "audio",
  "edge",
] as const;
export type ServiceName = (typeof serviceNames)[number];

/** A service as the program starts it. It cannot tell whether its peers share its process. */
export interface Service {
  name: ServiceName;
  /** Resolves once the service is ready. Raises a StartError when it cannot become so. */
  setup(context: ServiceContext): Promise<RunningService>;
}

export interface ServiceContext {
  name: ServiceName;
  env: Environment;
  log: Log;
  /** A client of a service that `owner` offers, wherever it runs. */
  peer<S extends DescService>(owner: ServiceName, service: S): Client<S>;
  /** Whether this process brings its tables up to date. */
  migrates: boolean;
  /** Where this service listens for what the edge proxies to it, if it takes any. */
  httpAddress: HttpAddress;
  /** Where each replica of `owner` does. */
  httpPeer(owner: ServiceName): readonly HttpAddress[];
  /** Who may call this service, and what it shows where it calls. */
  trust: Trust;
  /** Undefined when the program runs without a broker. */
  broker: Broker | undefined;
  notices: Notices;
  metrics: Metrics;
  /** How the process ends, once it is asked to. */
  ending: Ending;
  now(): Date;
}

export interface Ending {
  /** Aborts when the process takes nothing new any more. */
  signal: AbortSignal;
  /** From then on, how long what is under way may take. */
  graceMs: number;
}

export interface RunningService {
  offers: readonly Offer[];
  /** Where the service listens for clients, for the one that does. */
  url?: string;
  /**
   * Takes nothing new from outside, and waits for what is under way, `graceMs` at most. Called
   * before anything that it stands on stops.
   */
  drain?(graceMs: number): Promise<void>;
  /** Lets go of everything; what still has to be written gets `graceMs` at most. */
  stop(graceMs: number): Promise<void>;
}

/** Keeps the type of a service's definition. */
export function defineService(service: Service): Service {
  return service;
}
