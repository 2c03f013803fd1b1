import type { DescService } from "@bufbuild/protobuf";
import type { Environment } from "@tollgate/core/config";
import type { Log } from "@tollgate/core/log";
import type { Trust } from "@tollgate/core/peer-auth";
import { createClient, type Transport } from "@tollgate/rpc/client";
import { createGrpcTransport, type GrpcTransport } from "@tollgate/rpc/grpc-transport";
import { healthOffer } from "@tollgate/rpc/health-service";
import type { Client, Offer } from "@tollgate/rpc/implementation";
import { createLocalTransport } from "@tollgate/rpc/local-transport";
import { traceOffer, traceTransport } from "@tollgate/rpc/traced-calls";
import type { Readiness } from "./operations/readiness.ts";
import type { ServiceName } from "./service.ts";

/** The other services, wherever each of them runs. */
export interface Peers {
  client<S extends DescService>(owner: ServiceName, service: S): Client<S>;
  /** Makes what a service of this process offers callable by the others. */
  add(offered: Offer): void;
  close(): void;
}

/**
 * Joins services of this process directly, and others by gRPC at `TOLLGATE_<NAME>_ADDRESS`: a
 * `host:port`, several with commas between them, or any name that gRPC knows, such as `dns:///…`.
 */
export function createPeers(
  here: ReadonlySet<ServiceName>,
  env: Environment,
  parts: { log: Log; trust: Trust; readiness: Readiness },
): Peers {
  const local = createLocalTransport(parts.log);
  local.add(healthOffer(parts.readiness.isDraining));
  const localTransport = traceTransport(local, "in_process");
  const remote = new Map<ServiceName, GrpcTransport>();

  function remoteTransport(owner: ServiceName): Transport {
    const known = remote.get(owner);
    if (known !== undefined) return known;
    const address = env[`TOLLGATE_${owner.toUpperCase()}_ADDRESS`] || `${owner}:9090`;
    const transport = createGrpcTransport(address, parts.trust);
    remote.set(owner, transport);
    return transport;
  }

  function transportTo(owner: ServiceName): Transport {
    if (here.has(owner)) return localTransport;
    const transport = remoteTransport(owner);
    return traceTransport(transport, "grpc");
  }

  return {
    client: (owner, service) => createClient(service, transportTo(owner)),
    add: (offered) => local.add(traceOffer(offered, "in_process")),
    close() {
      for (const transport of remote.values()) transport.close();
    },
  };
}
