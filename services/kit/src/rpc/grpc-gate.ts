import type { DescMethod } from "@bufbuild/protobuf";
import type { Metadata } from "@grpc/grpc-js";
import { Health } from "@tollgate/proto/grpc/health/v1/health";
import { PeerError } from "../errors.ts";
import type { Log } from "../log.ts";
import { type TraceHeaders, traceHeaders } from "../tracing/tracer.ts";
import { secretHeader, type Trust } from "../trust.ts";

/** What every call to a server passes through. */
export interface Gate {
  log: Log;
  /**
   * Raises where the caller is not of the fleet, and where the server takes nothing new: then
   * nothing was done, and another replica can be asked. How a service is, everybody may ask.
   */
  admit(metadata: Metadata, method: DescMethod): void;
  /** The caller's trace, where traces are on and it has one. */
  traceOf(metadata: Metadata): TraceHeaders | undefined;
  /** A call is under way until what this answers is called. */
  enter(): () => void;
  /** Admits no more, and waits for those under way, `graceMs` at most. */
  close(graceMs: number): Promise<void>;
}

export interface GateOptions {
  log: Log;
  trust: Trust;
  /** Whether handlers are told of the caller's trace. */
  isTraced?: boolean;
}

export function createGate({ log, trust, isTraced = false }: GateOptions): Gate {
  let underWay = 0;
  let closed: PromiseWithResolvers<void> | undefined;
  return {
    log,
    admit(metadata, { parent }) {
      if (parent.typeName === Health.typeName) return;
      const [shown] = metadata.get(secretHeader);
      if (!trust.admits(shown?.toString())) {
        throw new PeerError("refused", "the caller is not trusted");
      }
      if (closed !== undefined) throw new PeerError("draining", "the replica takes nothing new");
    },
    traceOf(metadata) {
      if (!isTraced) return undefined;
      return traceHeaders((name) => metadata.get(name)[0]?.toString());
    },
    enter() {
      underWay += 1;
      return () => {
        underWay -= 1;
        if (underWay === 0) closed?.resolve();
      };
    },
    async close(graceMs) {
      closed = Promise.withResolvers();
      if (underWay === 0) return;
      const force = setTimeout(closed.resolve, graceMs);
      await closed.promise;
      clearTimeout(force);
    },
  };
}
