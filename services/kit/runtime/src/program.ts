import { setTimeout as sleep } from "node:timers/promises";
import { type Environment, integerSetting, readSettings } from "@tollgate/core/config";
import type { Log } from "@tollgate/core/log";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import type { HttpAddress } from "@tollgate/http/address";
import { FleetCertificates } from "@tollgate/rpc/fleet-certificates";
import { type GrpcServer, serveGrpc } from "@tollgate/rpc/grpc-server";
import { bindHealthService } from "@tollgate/rpc/health-service";
import type { ServiceBinding } from "@tollgate/rpc/implementation";
import { traceBinding } from "@tollgate/rpc/traced-calls";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { openBroker } from "./broker/connection.ts";
import { createProcessCatalog } from "./catalog/process-catalog.ts";
import { readFleetSecrets } from "./fleet-secrets.ts";
import { openHttpAddresses } from "./http-addresses.ts";
import { openNotices } from "./open-notices.ts";
import { addProcessMetrics, createMetrics } from "./operations/metrics.ts";
import { createReadiness } from "./operations/readiness.ts";
import { type OperationsServer, serveOperations } from "./operations/server.ts";
import { createPeers } from "./peers.ts";
import type { RunningService, Service, ServiceContext } from "./service.ts";
import { collectStartGarbage } from "./start-garbage.ts";
import { runStopSteps, type StopStep } from "./stop-steps.ts";
import type { Tracing } from "./tracing/tracing.ts";
import { openUploadSpace, uploadBounds } from "./uploads.ts";

/**
 * How long after the grace period a process may write what is pending and close its connections. The
 * chart leaves 15 seconds of the pod's termination grace period: enough for the error that follows.
 */
const lastWritesMs = 13_000;
/** How much of the grace period the last spans may take to reach a collector. */
const maxFlushMs = 5_000;

export interface Program {
  /** Where the edge listens, if it is among the services. */
  url: string | undefined;
  /** Where browsers reach the console, if it is among the services and not disabled. */
  consoleUrl: string | undefined;
  /**
   * Drains and stops the services. The process reports that it is draining, accepts work for
   * another `TOLLGATE_DRAIN_SECONDS` while load balancers and its callers find others, completes
   * the work in progress within `TOLLGATE_GRACE_SECONDS`, and releases all resources. Rejects with
   * an error that names the pending step when this takes 13 seconds longer than the grace period.
   */
  stop(): Promise<void>;
}

/**
 * Starts services in this process, in the given order. They call each other directly, and other
 * services by gRPC at `TOLLGATE_<NAME>_ADDRESS`. `TOLLGATE_LISTEN` sets where their gRPC is served,
 * `TOLLGATE_HTTP_LISTEN` where a service that has the process to itself accepts proxied requests,
 * and `TOLLGATE_OPERATIONS_LISTEN` where an orchestrator sends its probes. Throws a StartError when
 * a service cannot start. Stopping the program stops tracing last.
 *
 * Longer than 70 lines: the orders of the start and of the stop stand side by side.
 */
export async function startProgram(
  services: readonly Service[],
  env: Environment,
  log: Log,
  tracing?: Tracing,
): Promise<Program> {
  const settings = readSettings(programSettings, env);
  const graceMs = settings.TOLLGATE_GRACE_SECONDS * 1_000;
  const names = services.map((service) => service.name);
  const peerAuth = createPeerAuth(readFleetSecrets(env, names));
  const certificates = openCertificates(settings.TOLLGATE_TLS_DIR, log);
  const readiness = createReadiness();
  const metrics = createMetrics();
  const http = await openHttpAddresses(names, env, settings.TOLLGATE_HTTP_LISTEN);
  const uploads = await openUploadSpace(settings.TOLLGATE_UPLOADS_MIB, metrics, log);
  const broker = settings.NATS_URL
    ? openBroker(settings.NATS_URL, `tollgate-${names.join("+")}`, log)
    : undefined;
  const notices = openNotices(names, { broker, databaseUrl: settings.DATABASE_URL }, log);
  const shared = { notices: notices.notices, log, metrics, readiness };
  const catalog = createProcessCatalog(names, env, shared);
  const peers = createPeers(new Set(names), env, { log, peerAuth, readiness, certificates });
  const [leaving, shutdown] = [new AbortController(), new AbortController()];
  const running: RunningService[] = [];
  let operations: OperationsServer | undefined;
  let grpc: GrpcServer | undefined;

  const contextOf = ({ name }: Service): ServiceContext => ({
    ...shared,
    name,
    env,
    log: log.child({ service: name }),
    peer: peers.client,
    migrates: settings.TOLLGATE_MIGRATE === "on",
    httpAddress: http.listenAddress(name),
    httpPeer: http.peerAddresses,
    edgeUrl: () => urlOf(running),
    uploads,
    peerAuth,
    broker,
    openCatalog: (user) => catalog.open(name, user),
    shutdown: { leaving: leaving.signal, signal: shutdown.signal, graceMs },
    now: () => new Date(),
  });

  async function start(): Promise<void> {
    if (settings.TOLLGATE_OPERATIONS_LISTEN) {
      addProcessMetrics(metrics);
      const address = settings.TOLLGATE_OPERATIONS_LISTEN;
      operations = await serveOperations(address, metrics, readiness);
    }
    for (const service of services) {
      const started = await service.setup(contextOf(service));
      running.push(started);
      for (const binding of started.bindings) peers.add(binding);
    }
    if (settings.TOLLGATE_LISTEN) {
      const bindings = [...tracedBindings(running), bindHealthService(readiness.isUnavailable)];
      grpc = await serveGrpc(settings.TOLLGATE_LISTEN, bindings, { log, peerAuth, certificates });
    }
    collectStartGarbage();
    readiness.markReady();
    log.info({ services: names, url: urlOf(running), ...addressesOf(settings, running) }, "ready");
  }

  async function stop(): Promise<void> {
    const wasReady = readiness.state() !== "starting";
    readiness.markDraining();
    leaving.abort();
    grpc?.leave();
    if (wasReady) await sleep(settings.TOLLGATE_DRAIN_SECONDS * 1_000);
    shutdown.abort();
    await runStopSteps(stopSteps(), graceMs + lastWritesMs);
  }

  function stopSteps(): StopStep[] {
    const drain = () => Promise.all([grpc?.stop(graceMs), drainAll(running, graceMs)]);
    const release = async () => {
      for (const service of running.toReversed()) await service.stop(graceMs);
    };
    return [
      // Requests in progress complete while everything that they depend on still runs.
      { name: "requests in progress", run: drain },
      // Billing, which it reports to, may be one of the services.
      { name: "the catalog", run: catalog.stop },
      { name: "the services", run: release },
      { name: "Postgres, for notices", run: notices.close },
      { name: "the broker", run: async () => broker?.close() },
      { name: "calls to other services", run: async () => peers.close() },
      { name: "proxied requests", run: http.close },
      { name: "the operations port", run: async () => operations?.stop() },
      { name: "the last spans", run: async () => tracing?.stop(Math.min(graceMs, maxFlushMs)) },
    ];
  }

  try {
    await start();
  } catch (error) {
    // A database that hangs fails both. The error of the start is the one to report.
    await stop().catch(() => {});
    throw error;
  }
  return { url: urlOf(running), consoleUrl: consoleUrlOf(running), stop };
}

function openCertificates(folder: string | undefined, log: Log): FleetCertificates | undefined {
  return folder ? new FleetCertificates(folder, log) : undefined;
}

function tracedBindings(running: readonly RunningService[]): ServiceBinding[] {
  const served = running.flatMap((service) => service.bindings);
  return served.map((binding) => traceBinding(binding, "grpc"));
}

function urlOf(running: readonly RunningService[]): string | undefined {
  return running.find((service) => service.url !== undefined)?.url;
}

function consoleUrlOf(running: readonly RunningService[]): string | undefined {
  return running.find((service) => service.consoleUrl !== undefined)?.consoleUrl;
}

/** Returns the version and the addresses of the process, for its log. */
function addressesOf(settings: z.output<typeof programSettings>, running: RunningService[]) {
  const { TOLLGATE_LISTEN: grpc, TOLLGATE_OPERATIONS_LISTEN: operations } = settings;
  const [http] = running.flatMap(({ httpAddress }) => textOf(httpAddress));
  return { version: manifest.version, grpc, ...(http === undefined ? {} : { http }), operations };
}

/** Returns a TCP address as text. The sockets between the services of one process are not named. */
function textOf(address: HttpAddress | undefined): string[] {
  if (address === undefined || "socketPath" in address) return [];
  return [`${address.host}:${address.port}`];
}

/**
 * Drains the services in reverse order: the last one to start accepts work from outside. All of them
 * together get `graceMs`.
 */
async function drainAll(services: readonly RunningService[], graceMs: number): Promise<void> {
  const until = performance.now() + graceMs;
  for (const service of services.toReversed()) {
    await service.drain?.(Math.max(0, until - performance.now()));
  }
}

const programSettings = z.object({
  DATABASE_URL: z.string().optional(),
  NATS_URL: z.string().optional(),
  TOLLGATE_LISTEN: z.string().optional(),
  TOLLGATE_HTTP_LISTEN: z.string().default("*:9091"),
  TOLLGATE_OPERATIONS_LISTEN: z.string().optional(),
  TOLLGATE_TLS_DIR: z.string().optional(),
  TOLLGATE_MIGRATE: z.enum(["on", "off"]).default("on"),
  TOLLGATE_DRAIN_SECONDS: integerSetting({ min: 0, max: 300, default: 0 }),
  TOLLGATE_GRACE_SECONDS: integerSetting({ min: 1, max: 3_600, default: 25 }),
  TOLLGATE_UPLOADS_MIB: integerSetting(uploadBounds),
});
