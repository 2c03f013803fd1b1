import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DescService } from "@bufbuild/protobuf";
import { z } from "zod";
import { openBroker } from "./broker/connection.ts";
import { brokerNotices, localNotices } from "./broker/notices.ts";
import { type Environment, readSettings } from "./config.ts";
import { healthOffer } from "./health.ts";
import { type HttpAddress, parseHttpAddress } from "./http/address.ts";
import type { Log } from "./log.ts";
import { createClient, type Transport } from "./rpc/client.ts";
import { createGrpcTransport, type GrpcTransport } from "./rpc/grpc-client.ts";
import { type GrpcServer, serveGrpc } from "./rpc/grpc-server.ts";
import type { Client } from "./rpc/implementation.ts";
import { createLocalTransport } from "./rpc/local.ts";
import type { RunningService, Service, ServiceContext, ServiceName } from "./service.ts";

/** How long a stopping program waits for what is under way. */
const graceMs = 25_000;

export interface Program {
  /** Where the edge listens, when it is among the services. */
  url: string | undefined;
  stop(): Promise<void>;
}

/**
 * Starts services in this process, in the order given, and joins them: to each other directly, to
 * others by gRPC at `TOLLGATE_<NAME>_ADDRESS`. `TOLLGATE_LISTEN` says where their gRPC is served, and
 * `TOLLGATE_HTTP_LISTEN` where a service that has the process to itself takes proxied requests.
 */
export async function startProgram(
  services: readonly Service[],
  env: Environment,
  log: Log,
): Promise<Program> {
  const settings = readSettings(programSettings, env);
  const name = services.map((service) => service.name).join("+");
  const broker = settings.NATS_URL && openBroker(settings.NATS_URL, `tollgate-${name}`, log);
  const peers = createPeers(services, env, log);
  const http = await openHttpAddresses(services, env, settings.TOLLGATE_HTTP_LISTEN);
  const notices = broker ? brokerNotices(broker) : localNotices();
  const running: RunningService[] = [];
  let server: GrpcServer | undefined;

  async function stop(): Promise<void> {
    await Promise.all(running.map((service) => service.drain?.(graceMs)));
    // The last to start is the first that takes from outside; it stops first.
    for (const service of running.toReversed()) await service.stop(graceMs);
    await server?.stop(graceMs);
    if (broker) await broker.close();
    peers.close();
    await http.close();
  }

  try {
    for (const service of services) {
      const context: ServiceContext = {
        name: service.name,
        env,
        log: log.child({ service: service.name }),
        peer: peers.client,
        httpAddress: http.of(service.name),
        httpPeer: http.of,
        broker: broker || undefined,
        notices,
        now: () => new Date(),
      };
      const started = await service.setup(context);
      running.push(started);
      for (const offered of started.offers) peers.local.add(offered);
    }
    const offers = [...running.flatMap((service) => service.offers), healthOffer()];
    if (settings.TOLLGATE_LISTEN) server = await serveGrpc(settings.TOLLGATE_LISTEN, offers, log);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: running.find((service) => service.url !== undefined)?.url, stop };
}

const programSettings = z.object({
  NATS_URL: z.string().optional(),
  TOLLGATE_LISTEN: z.string().optional(),
  TOLLGATE_HTTP_LISTEN: z.string().default("0.0.0.0:9091"),
});

/**
 * Where each service takes proxied requests. Services that share a process use sockets in a folder
 * that only this user can enter; a service with a process of its own listens on `ownListen`.
 */
async function openHttpAddresses(
  services: readonly Service[],
  env: Environment,
  ownListen: string,
) {
  const [only, ...others] = services.map((service) => service.name);
  const shares = others.length > 0;
  const here = new Set([only, ...others]);
  const folder = shares ? await mkdtemp(join(tmpdir(), "tollgate-")) : undefined;

  function of(name: ServiceName): HttpAddress {
    if (folder !== undefined && here.has(name)) return { socketPath: socketIn(folder, name) };
    if (name === only) return parseHttpAddress(ownListen);
    return parseHttpAddress(env[`TOLLGATE_${name.toUpperCase()}_HTTP_ADDRESS`] || `${name}:9091`);
  }

  return {
    of,
    async close() {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

function socketIn(folder: string, name: ServiceName): string {
  const path = join(folder, `${name}.sock`);
  return process.platform === "win32" ? `\\\\.\\pipe\\${path}` : path;
}

function createPeers(services: readonly Service[], env: Environment, log: Log) {
  const here = new Set(services.map((service) => service.name));
  const local = createLocalTransport(log);
  local.add(healthOffer());
  const remote = new Map<ServiceName, GrpcTransport>();

  function transportTo(owner: ServiceName): Transport {
    if (here.has(owner)) return local;
    const variable = `TOLLGATE_${owner.toUpperCase()}_ADDRESS`;
    const known = remote.get(owner);
    if (known !== undefined) return known;
    const transport = createGrpcTransport(env[variable] || `${owner}:9090`);
    remote.set(owner, transport);
    return transport;
  }

  return {
    local,
    client: <S extends DescService>(owner: ServiceName, service: S): Client<S> =>
      createClient(service, transportTo(owner)),
    close() {
      for (const transport of remote.values()) transport.close();
    },
  };
}
