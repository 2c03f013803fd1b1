import type { DescService } from "@bufbuild/protobuf";
import type { Environment } from "@tollgate/core/config";
import type { Log } from "@tollgate/core/log";
import type { PeerAuth } from "@tollgate/core/peer-auth";
import type { HttpAddress } from "@tollgate/http/address";
import type { UploadSpace } from "@tollgate/http/upload-space";
import type { Client, ServiceBinding } from "@tollgate/rpc/implementation";
import type { Broker } from "./broker/connection.ts";
import type { Notices } from "./broker/notices.ts";
import type { CatalogUser, SharedCatalog } from "./catalog/catalog-origin.ts";
import type { Metrics } from "./operations/metrics.ts";

export const serviceNames = [
  "ledger",
  "billing",
  "chat",
  "document",
  "image",
  "audio",
  "console",
  "edge",
] as const;
export type ServiceName = (typeof serviceNames)[number];

/** A service as the program starts it, alone in a process or with others. */
export interface Service {
  name: ServiceName;
  /** Resolves when the service is ready. Throws a StartError when it cannot start. */
  setup(context: ServiceContext): Promise<RunningService>;
}

export interface ServiceContext {
  name: ServiceName;
  env: Environment;
  log: Log;
  /** Returns a client of a service that `owner` serves, in this process or in another. */
  peer<S extends DescService>(owner: ServiceName, service: S): Client<S>;
  /** Whether this process applies migrations to the service's tables. */
  migrates: boolean;
  /** Where this service listens for requests that the edge proxies to it. */
  httpAddress: HttpAddress;
  /** Returns where each replica of `owner` listens for proxied requests. */
  httpPeer(owner: ServiceName): readonly HttpAddress[];
  /** Returns where the edge of this process listens for clients; undefined until it does, or without one. */
  edgeUrl(): string | undefined;
  /** The disk space for uploads, which the services of a process share. */
  uploads: UploadSpace;
  /** Authenticates the callers of this service, and this service to its peers. */
  peerAuth: PeerAuth;
  /** Undefined when the program runs without a broker. */
  broker: Broker | undefined;
  notices: Notices;
  /** Resolves with the catalog that the services of the process share; see `ProcessCatalog`. */
  openCatalog(user: CatalogUser): Promise<SharedCatalog>;
  metrics: Metrics;
  shutdown: Shutdown;
  now(): Date;
}

/** The shutdown of the process. */
export interface Shutdown {
  /** Aborts when the process is about to stop: it still accepts work, until `signal` aborts. */
  leaving: AbortSignal;
  /** Aborts when the process stops accepting new work. */
  signal: AbortSignal;
  /** How long work in progress may take from then on. */
  graceMs: number;
}

export interface RunningService {
  /** The gRPC services that peers call. */
  bindings: readonly ServiceBinding[];
  /** Where the service listens for clients. The edge has one. */
  url?: string;
  /** Where browsers reach the console. */
  consoleUrl?: string;
  /** Where the service listens for requests that the edge proxies to it. */
  httpAddress?: HttpAddress;
  /**
   * Stops accepting work from outside. Resolves when the work in progress has ended, after
   * `graceMs` at the latest. Every service drains before any is stopped.
   */
  drain?(graceMs: number): Promise<void>;
  /** Releases all resources. Pending writes get `graceMs` at most. */
  stop(graceMs: number): Promise<void>;
}

/** Returns the service unchanged. Its parameter types an object literal. */
export function defineService(service: Service): Service {
  return service;
}
