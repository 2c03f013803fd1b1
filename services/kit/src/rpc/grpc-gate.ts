import type { DescMethod } from "@bufbuild/protobuf";
import type { Metadata } from "@grpc/grpc-js";
import { Health } from "@tollgate/proto/grpc/health/v1/health";
import { PeerError } from "../errors.ts";
import type { Log } from "../log.ts";
import { secretHeader, type Trust } from "../trust.ts";

/** What every call to a server passes through. */
export interface Gate {
  log: Log;
  /**
   * Raises where the caller is not of the fleet, and where the server takes nothing new: then
   * nothing was done, and another replica can be asked. How a service is, everybody may ask.
   */
  admit(metadata: Metadata, method: DescMethod): void;
  /** A call is under way until what this answers is called. */
  enter(): () => void;
  /** Admits no more, and waits for those under way, `graceMs` at most. */
  close(graceMs: number): Promise<void>;
}

export function createGate(log: Log, trust: Trust): Gate {
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
