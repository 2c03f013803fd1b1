import {
  type Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
} from "@grpc/grpc-js";
import { type PeerError, StartError } from "@tollgate/core/errors";
import { createGate, type Gate, type GateOptions } from "./call-guard.ts";
import { widenServerWindows } from "./flow-control.ts";
import { channelOptions } from "./grpc-channel.ts";
import { addPlainService } from "./grpc-handlers.ts";
import { toStatus } from "./grpc-status.ts";
import type { Offer } from "./implementation.ts";
import { trunkMethod } from "./mux.ts";
import { createAnswerer } from "./mux-response.ts";
import { createTrunks } from "./mux-server.ts";

/** How long connections without a call may take to end. */
const idleGraceMs = 5_000;

export interface GrpcServer {
  /**
   * Takes no new call, waits for those under way, `graceMs` at most. Connections stay until then:
   * grpc-js drops what is under way on a closing connection when its next keep-alive ping is due.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Serves the offers at `address` (`host:port` or `unix:path`). Raises a StartError when it cannot
 * listen there.
 */
export async function serveGrpc(
  address: string,
  offers: readonly Offer[],
  options: GateOptions,
): Promise<GrpcServer> {
  widenServerWindows();
  const gate = createGate(options);
  const server = new Server({ ...channelOptions, interceptors: [refuseStrangers(gate)] });
  const trunks = createTrunks(createAnswerer(offers, gate), gate);
  for (const offer of offers) addPlainService(server, offer, gate);
  server.addService({ trunk: trunkMethod }, { trunk: trunks.handle });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) => {
      if (error === null) return resolve();
      reject(new StartError(`cannot listen for gRPC on ${address}: ${error.message}`));
    });
  });
  return {
    async stop(graceMs) {
      const idle = gate.close(graceMs);
      trunks.refuse();
      await idle;
      trunks.end();
      const force = setTimeout(() => server.forceShutdown(), idleGraceMs);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(force);
    },
  };
}

/** Refuses who is not of the fleet by the head of a call: nothing of its message is taken in. */
function refuseStrangers(gate: Gate): ServerInterceptor {
  return (_method, call) =>
    new ServerInterceptingCall(call, {
      start(next) {
        const listener = new ServerListenerBuilder().withOnReceiveMetadata(
          (metadata: Metadata, pass) => {
            try {
              gate.admitCaller(metadata);
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
