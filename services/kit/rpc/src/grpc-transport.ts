import { setTimeout as sleep } from "node:timers/promises";
import { PeerError } from "@tollgate/core/errors";
import type { Trust } from "@tollgate/core/peer-auth";
import type { Transport } from "./client.ts";
import { reachedNobody } from "./grpc-status.ts";
import { type CallOptions, defaultTimeoutMs } from "./implementation.ts";
import { lookUpTargets } from "./lookup.ts";
import { createReplica } from "./replica.ts";
import { createReplicas, type Replicas } from "./replicas.ts";

export interface GrpcTransport extends Transport {
  close(): void;
}

/** How long a call waits for a peer that has just gone and may be starting again. */
const peerPatienceMs = 1_000;
/** Calls at once meet the replicas in no order: one may meet the same a few times. */
const firstRetryMs = 2;
const longestRetryMs = 20;

/**
 * Calls over one HTTP/2 connection to each replica behind `address` (`host:port`, several IP
 * addresses with commas between them, `dns:///…` or `unix:path`), made when first needed and made
 * anew when lost. Calls go to the replicas in turn, but for one that hangs; one that is refused
 * since its replica takes nothing new goes on to another.
 */
export function createGrpcTransport(address: string, trust: Trust): GrpcTransport {
  const replicas = createReplicas(
    () => lookUpTargets(address),
    (target) => createReplica(target, trust),
  );
  return {
    async unary(method, request, options) {
      const retry = createRetry(options, replicas);
      for (;;) {
        const replica = await replicas.next(retry.patienceMs());
        try {
          return await replica.unary(method, request, options);
        } catch (error) {
          await retry.unlessFinal(error);
        }
      }
    },
    async *serverStream(method, request, options) {
      const retry = createRetry(options, replicas);
      let begun = false;
      for (;;) {
        const replica = await replicas.next(retry.patienceMs());
        const stream = replica.stream(method, request, options);
        try {
          for (let message = await stream.next(); message !== null; message = await stream.next()) {
            begun = true;
            yield message;
          }
          return;
        } catch (error) {
          if (begun) throw error;
          await retry.unlessFinal(error);
        } finally {
          stream.close();
        }
      }
    },
    close: replicas.close,
  };
}

/**
 * A replica that ends has done nothing of a call that it refuses: another can be asked, for as long
 * as the call may take where one is ready, and else for a moment. What is final is told as
 * `unavailable`: that a replica of ours is ending is no reason for our caller to ask us again.
 */
function createRetry({ signal, timeoutMs = defaultTimeoutMs }: CallOptions, replicas: Replicas) {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const mostMs = Math.min(peerPatienceMs, timeoutMs / 2);
  let pauseMs = firstRetryMs;
  const patienceMs = () => mostMs - elapsedMs();
  return {
    patienceMs,
    async unlessFinal(error: unknown): Promise<void> {
      if (!(error instanceof PeerError && (isRefusal(error) || reachedNobody(error)))) throw error;
      const limitMs = replicas.isSomeReady() ? timeoutMs : isRefusal(error) ? mostMs : 0;
      if (signal?.aborted || elapsedMs() >= limitMs) {
        throw new PeerError("unavailable", error.message, error);
      }
      await sleep(pauseMs);
      pauseMs = Math.min(pauseMs * 2, longestRetryMs);
    },
  };
}

function isRefusal({ reason }: PeerError): boolean {
  return reason === "draining";
}
