import type { DescService } from "@bufbuild/protobuf";
import type { Environment } from "@tollgate/core/config";
import type { Log } from "@tollgate/core/log";
import { createPeerAuth, type PeerAuth } from "@tollgate/core/peer-auth";
import { createClient, type Transport } from "@tollgate/rpc/client";
import type { FleetCertificates } from "@tollgate/rpc/fleet-certificates";
import { createGrpcTransport, type GrpcTransport } from "@tollgate/rpc/grpc-transport";
import { bindHealthService } from "@tollgate/rpc/health-service";
import type { Client, ServiceBinding } from "@tollgate/rpc/implementation";
import { createLocalTransport } from "@tollgate/rpc/local-transport";
import { traceBinding, traceTransport } from "@tollgate/rpc/traced-calls";
import type { Readiness } from "./operations/readiness.ts";
import type { ServiceName } from "./service.ts";

/** Clients of all services, in this process or in others. */
export interface Peers {
  /** Returns a client of a service that `owner` serves. */
  client<S extends DescService>(owner: ServiceName, service: S): Client<S>;
  /** Makes a service of this process callable by the others in it. */
  add(binding: ServiceBinding): void;
  close(): void;
}

export interface PeerParts {
  log: Log;
  peerAuth: PeerAuth;
  readiness: Readiness;
  /** Closed with the clients. Undefined for connections without encryption. */
  certificates: FleetCertificates | undefined;
}

/** The services that are sent the operators' secret, since they check it. */
const checksOperators: ReadonlySet<ServiceName> = new Set(["billing", "ledger"]);

/**
 * Connects to the services `here` directly, and to others by gRPC at `TOLLGATE_<NAME>_ADDRESS`: a
 * `host:port`, several with commas between them, or any other target of gRPC, such as `dns:///…`.
 */
export function createPeers(
  here: ReadonlySet<ServiceName>,
  env: Environment,
  parts: PeerParts,
): Peers {
  const local = createLocalTransport(parts.log);
  local.add(bindHealthService(parts.readiness.isUnavailable));
  const localTransport = traceTransport(local, "in_process");
  const remote = new Map<ServiceName, GrpcTransport>();

  function remoteTransport(owner: ServiceName): Transport {
    const known = remote.get(owner);
    if (known !== undefined) return known;
    const address = env[`TOLLGATE_${owner.toUpperCase()}_ADDRESS`] || `${owner}:9090`;
    const { peerAuth, certificates } = parts;
    const auth = checksOperators.has(owner) ? peerAuth : createPeerAuth({ fleet: peerAuth.secret });
    const transport = createGrpcTransport(address, auth, certificates);
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
    add: (binding) => local.add(traceBinding(binding, "in_process")),
    close() {
      for (const transport of remote.values()) transport.close();
      parts.certificates?.close();
    },
  };
}
