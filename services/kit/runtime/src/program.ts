import { setTimeout as sleep } from "node:timers/promises";
import { type Environment, integerSetting, readSettings } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { createTrust } from "@tollgate/core/peer-auth";
import { type GrpcServer, serveGrpc } from "@tollgate/rpc/grpc-server";
import { healthOffer } from "@tollgate/rpc/health-service";
import { traceOffer } from "@tollgate/rpc/traced-calls";
import { z } from "zod";
import { openBroker } from "./broker/connection.ts";
import { brokerNotices, localNotices } from "./broker/notices.ts";
import { openHttpAddresses } from "./http-addresses.ts";
import { addProcessMetrics, createMetrics } from "./operations/metrics.ts";
import { createReadiness } from "./operations/readiness.ts";
import { type OperationsServer, serveOperations } from "./operations/server.ts";
import { createPeers } from "./peers.ts";
import type { RunningService, Service, ServiceContext } from "./service.ts";
import type { Tracing } from "./tracing/start.ts";

/** How much of the grace a collector may take that does not answer. */
const longestFlushMs = 5_000;

export interface Program {
  /** Where the edge listens, when it is among the services. */
  url: string | undefined;
  /**
   * Says that it wants no new work, and stops taking any once the others have had time to hear of
   * it; waits for what is under way, and lets go of everything.
   */
  stop(): Promise<void>;
}

/**
 * Starts services in this process, in the order given, and joins them: to each other directly, to
 * others by gRPC at `TOLLGATE_<NAME>_ADDRESS`. `TOLLGATE_LISTEN` says where their gRPC is served,
 * `TOLLGATE_HTTP_LISTEN` where a service that has the process to itself takes proxied requests, and
 * `TOLLGATE_OPERATIONS_LISTEN` where an orchestrator asks how the process is. Tracing stops
 * last, once nothing is left to trace.
 */
export async function startProgram(
  services: readonly Service[],
  env: Environment,
  log: Log,
  tracing?: Tracing,
): Promise<Program> {
  const settings = readSettings(programSettings, env);
  const names = services.map((service) => service.name);
  const broker =
    settings.NATS_URL && openBroker(settings.NATS_URL, `tollgate-${names.join("+")}`, log);
  const trust = createTrust(readSecret(env));
  const readiness = createReadiness();
  const metrics = createMetrics();
  const peers = createPeers(new Set(names), env, { log, trust, readiness });
  const http = await openHttpAddresses(names, env, settings.TOLLGATE_HTTP_LISTEN);
  const notices = broker ? brokerNotices(broker) : localNotices();
  const ending = new AbortController();
  const graceMs = settings.TOLLGATE_GRACE_SECONDS * 1_000;
  const running: RunningService[] = [];
  let server: GrpcServer | undefined;
  let operations: OperationsServer | undefined;

  /** The last to start is the first that takes from outside; it drains first. */
  async function drainAll(): Promise<void> {
    for (const service of running.toReversed()) await service.drain?.(graceMs);
  }

  async function stop(): Promise<void> {
    const wasReady = readiness.state() === "ready";
    readiness.become("draining");
    if (wasReady) await sleep(settings.TOLLGATE_DRAIN_SECONDS * 1_000);
    ending.abort();
    // What was asked for is answered while all that it stands on is still there.
    await Promise.all([server?.stop(graceMs), drainAll()]);
    for (const service of running.toReversed()) await service.stop(graceMs);
    if (broker) await broker.close();
    peers.close();
    await http.close();
    await operations?.stop();
    await tracing?.stop(Math.min(graceMs, longestFlushMs));
  }

  try {
    if (settings.TOLLGATE_OPERATIONS_LISTEN) {
      addProcessMetrics(metrics);
      const address = settings.TOLLGATE_OPERATIONS_LISTEN;
      operations = await serveOperations(address, metrics, readiness);
    }
    for (const service of services) {
      const context: ServiceContext = {
        name: service.name,
        env,
        log: log.child({ service: service.name }),
        peer: peers.client,
        migrates: settings.TOLLGATE_MIGRATE === "on",
        httpAddress: http.of(service.name),
        httpPeer: http.peer,
        trust,
        broker: broker || undefined,
        notices,
        metrics,
        ending: { signal: ending.signal, graceMs },
        now: () => new Date(),
      };
      const started = await service.setup(context);
      running.push(started);
      for (const offered of started.offers) peers.add(offered);
    }
    const offered = running.flatMap((service) => service.offers);
    const own = offered.map((one) => traceOffer(one, "grpc"));
    if (settings.TOLLGATE_LISTEN) {
      const offers = [...own, healthOffer(readiness.isDraining)];
      const gate = { log, trust };
      server = await serveGrpc(settings.TOLLGATE_LISTEN, offers, gate);
    }
    readiness.become("ready");
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: running.find((service) => service.url !== undefined)?.url, stop };
}

/** Not as other variables are: one that was meant to be set must not leave every door open. */
function readSecret({ TOLLGATE_FLEET_SECRET: secret }: Environment): string | undefined {
  if (secret !== "") return secret;
  throw new StartError("TOLLGATE_FLEET_SECRET: is empty: set it, or leave it out to trust anyone");
}

const programSettings = z.object({
  NATS_URL: z.string().optional(),
  TOLLGATE_LISTEN: z.string().optional(),
  TOLLGATE_HTTP_LISTEN: z.string().default("0.0.0.0:9091"),
  TOLLGATE_OPERATIONS_LISTEN: z.string().optional(),
  TOLLGATE_MIGRATE: z.enum(["on", "off"]).default("on"),
  TOLLGATE_DRAIN_SECONDS: integerSetting({ min: 0, max: 300, default: 0 }),
  TOLLGATE_GRACE_SECONDS: integerSetting({ min: 1, max: 3_600, default: 25 }),
});
