import {
  experimental,
  type Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
} from "@grpc/grpc-js";
import { type PeerError, StartError } from "@tollgate/core/errors";
import { type CallGuard, type CallGuardOptions, createCallGuard } from "./call-guard.ts";
import { widenServerWindows } from "./flow-control.ts";
import { channelOptions } from "./grpc-channel.ts";
import { addGrpcService } from "./grpc-handlers.ts";
import { toStatus } from "./grpc-status.ts";
import type { ServiceBinding } from "./implementation.ts";
import { muxMethod } from "./mux/mux.ts";
import { createMuxHandler } from "./mux/mux-handlers.ts";
import { createMuxServer } from "./mux/mux-server.ts";
import type { FleetCertificates } from "./tls/fleet-certificates.ts";

/** How long connections without a call in progress may take to close. */
const closeTimeoutMs = 5_000;

export interface GrpcServerOptions extends CallGuardOptions {
  /** Those of callers must be of the same authority; undefined for connections without encryption. */
  certificates?: FleetCertificates | undefined;
}

export interface GrpcServer {
  /** Signals clients to call other replicas if they can. Calls are still begun. */
  leave(): void;
  /**
   * Refuses new calls, and resolves once those in progress have ended and all connections are
   * closed. Calls get `graceMs` at most. Connections stay open until then: grpc-js drops the calls
   * on a closing connection when its next keep-alive ping is due.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Serves the bound services at `address` (`host:port` or `unix:path`). A socket is never encrypted. Throws a StartError when it
 * cannot listen there.
 */
export async function serveGrpc(
  address: string,
  bindings: readonly ServiceBinding[],
  { certificates, ...options }: GrpcServerOptions,
): Promise<GrpcServer> {
  widenServerWindows();
  const guard = createCallGuard(options);
  const server = new Server({ ...channelOptions, interceptors: [authenticateCallers(guard)] });
  const muxServer = createMuxServer(createMuxHandler(bindings, guard), guard);
  for (const binding of bindings) addGrpcService(server, binding, guard);
  server.addService({ mux: muxMethod }, { mux: muxServer.accept });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(address, serverCredentials(address, certificates), (error) => {
      if (error === null) return resolve();
      reject(new StartError(`cannot listen for gRPC on ${address}: ${error.message}`));
    });
  });
  return {
    leave: muxServer.leave,
    async stop(graceMs) {
      const drained = guard.drain(graceMs);
      muxServer.refuseCalls();
      await drained;
      muxServer.end();
      const force = setTimeout(() => server.forceShutdown(), closeTimeoutMs);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(force);
    },
  };
}

function serverCredentials(
  address: string,
  certificates: FleetCertificates | undefined,
): ServerCredentials {
  if (certificates === undefined || address.startsWith("unix:")) {
    return ServerCredentials.createInsecure();
  }
  return experimental.createCertificateProviderServerCredentials(certificates, certificates, true);
}

/** Refuses a caller from outside the fleet by the headers of its call, before reading a message. */
function authenticateCallers(guard: CallGuard): ServerInterceptor {
  return (_method, call) =>
    new ServerInterceptingCall(call, {
      start(next) {
        const listener = new ServerListenerBuilder().withOnReceiveMetadata(
          (metadata: Metadata, pass) => {
            try {
              guard.authenticate(metadata);
            } catch (error) {
              return call.sendStatus(toStatus(error as PeerError));
            }
            pass(metadata);
          },
        );
        next(listener.build());
      },
    });
}
