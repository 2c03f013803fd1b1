import type { DescMethod } from "@bufbuild/protobuf";
import type { Metadata } from "@grpc/grpc-js";
import { PeerError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { secretHeader, type Trust } from "@tollgate/core/peer-auth";
import { Health } from "@tollgate/proto/grpc/health/v1/health";

/** What every call to a server passes through. */
export interface Gate {
  log: Log;
  /** Raises where the caller is not of the fleet. */
  admitCaller(metadata: Metadata): void;
  /**
   * Raises where the server takes nothing new: then nothing was done, and another replica can be
   * asked. How a service is, it tells to the end.
   */
  admitCall(method?: DescMethod): void;
  /** A call is under way until what this answers is called. */
  enter(): () => void;
  /** Admits no more, and waits for those under way, `graceMs` at most. */
  close(graceMs: number): Promise<void>;
}

export interface GateOptions {
  log: Log;
  trust: Trust;
}

export function createGate({ log, trust }: GateOptions): Gate {
  let underWay = 0;
  let closed: PromiseWithResolvers<void> | undefined;

  function admitCaller(metadata: Metadata): void {
    const [shown] = metadata.get(secretHeader);
    if (!trust.admits(shown?.toString())) {
      throw new PeerError("refused", "the caller is not trusted");
    }
  }

  function admitCall(method?: DescMethod): void {
    if (method?.parent.typeName === Health.typeName) return;
    if (closed !== undefined) throw new PeerError("draining", "the replica takes nothing new");
  }

  return {
    log,
    admitCaller,
    admitCall,
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
