import { PeerError } from "@tollgate/core/errors";
import { Pauses } from "@tollgate/core/pauses";
import type { PeerAuth } from "@tollgate/core/peer-auth";
import type { Transport } from "./client.ts";
import { neverReachedHandler } from "./grpc-status.ts";
import { type CallOptions, defaultTimeoutMs } from "./implementation.ts";
import { lookUpTargets } from "./lookup.ts";
import { createReplica } from "./replica.ts";
import { createReplicas, type Replicas } from "./replicas.ts";
import type { FleetCertificates } from "./tls/fleet-certificates.ts";
import { peerChannel } from "./tls/peer-channel.ts";

export interface GrpcTransport extends Transport {
  /** Closes the connections. Calls in progress run to their ends. */
  close(): void;
}

/** How long a call waits for a peer that is not connected and may be restarting. */
const reconnectTimeoutMs = 1_000;
/** How long it waits at most, which leaves time for a new lookup and for new connections. */
const maxReadyWaitMs = 2_500;
/** Concurrent calls share one rotation over the replicas, so a retry may get the same replica. */
const firstRetryMs = 2;
const maxRetryMs = 20;

/**
 * Creates a transport to the replicas behind `address` (`host:port`, several IP addresses with
 * commas between them, `dns:///…` or `unix:path`). It holds one HTTP/2 connection to each, made on
 * first use and again when lost, encrypted where there are `certificates`. Calls go to the replicas in turn, except to one that is
 * unresponsive. A call that a draining replica refuses is retried on another.
 */
export function createGrpcTransport(
  address: string,
  peerAuth: PeerAuth,
  certificates?: FleetCertificates,
): GrpcTransport {
  const channel = peerChannel(address, certificates);
  const replicas = createReplicas(
    () => lookUpTargets(address),
    (target) => createReplica(target, peerAuth, channel),
  );
  return {
    async unary(method, request, options) {
      const retry = createRetry(options, replicas);
      for (;;) {
        const replica = await replicas.next(retry.remainingWaitMs());
        try {
          return await replica.unary(method, request, options);
        } catch (error) {
          await retry.waitOrThrow(error);
        }
      }
    },
    async *serverStream(method, request, options) {
      const retry = createRetry(options, replicas);
      let hasYielded = false;
      for (;;) {
        const replica = await replicas.next(retry.remainingWaitMs());
        const stream = replica.stream(method, request, options);
        try {
          for (let message = await stream.next(); message !== null; message = await stream.next()) {
            hasYielded = true;
            yield message;
          }
          return;
        } catch (error) {
          if (hasYielded) throw error;
          await retry.waitOrThrow(error);
        } finally {
          stream.close();
        }
      }
    },
    close: replicas.close,
  };
}

/**
 * Decides whether a failed call is sent again. Only a call that reached no handler is: one that a
 * draining replica refused, or whose connection was not made. While some replica is ready it is
 * retried until its timeout; otherwise a refused call is retried for `maxReadyWaitMs`, and one
 * without a connection for `reconnectTimeoutMs`. The last error is rethrown as `unavailable`, never
 * as `draining`: if the caller is itself a handler, its own caller would take that for a refusal and
 * run it again.
 */
function createRetry({ signal, timeoutMs = defaultTimeoutMs }: CallOptions, replicas: Replicas) {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const maxWaitMs = Math.min(maxReadyWaitMs, timeoutMs / 2);
  let pauses: Pauses | undefined;
  return {
    remainingWaitMs: () => maxWaitMs - elapsedMs(),
    async waitOrThrow(error: unknown): Promise<void> {
      if (!isRetryable(error)) throw error;
      const unreadyMs = isDraining(error) ? maxWaitMs : Math.min(reconnectTimeoutMs, maxWaitMs);
      const limitMs = replicas.isAnyReady() ? timeoutMs : unreadyMs;
      if (signal?.aborted || elapsedMs() >= limitMs) {
        throw new PeerError("unavailable", error.message, error);
      }
      pauses ??= new Pauses({ firstMs: firstRetryMs, maxMs: maxRetryMs });
      await pauses.next();
    },
  };
}

function isRetryable(error: unknown): error is PeerError {
  return error instanceof PeerError && (isDraining(error) || neverReachedHandler(error));
}

function isDraining({ reason }: PeerError): boolean {
  return reason === "draining";
}
