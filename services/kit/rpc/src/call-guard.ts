import type { DescMethod } from "@bufbuild/protobuf";
import type { Metadata } from "@grpc/grpc-js";
import { PeerError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { operatorSecretHeader, type PeerAuth, secretHeader } from "@tollgate/core/peer-auth";
import { Health } from "@tollgate/proto/grpc/health/v1/health";

/** Authenticates and admits the calls to a server, and counts those in progress. */
export interface CallGuard {
  log: Log;
  /** Throws a PeerError if the caller does not present the fleet's secret. */
  authenticate(metadata: Metadata): void;
  /** Returns whether the caller presents the operators' secret. */
  isOperator(metadata: Metadata): boolean;
  /**
   * Throws a PeerError once the server drains. The call then had no effect, so that the caller can
   * retry it on another replica. Health checks are admitted until the server stops.
   */
  admit(method?: DescMethod): void;
  /** Counts a call as in progress until the returned function is called. */
  enter(): () => void;
  /** Stops admitting calls. Resolves when no call is in progress, after `graceMs` at the latest. */
  drain(graceMs: number): Promise<void>;
}

/** Returns the error of a call that needs the operators' secret, of a caller without it. */
export function notAnOperator(): PeerError {
  return new PeerError("refused", "the caller did not present the operators' secret");
}

export interface CallGuardOptions {
  log: Log;
  peerAuth: PeerAuth;
}

export function createCallGuard({ log, peerAuth }: CallGuardOptions): CallGuard {
  let inProgress = 0;
  let drained: PromiseWithResolvers<void> | undefined;

  return {
    log,
    authenticate(metadata) {
      const [secret] = metadata.get(secretHeader);
      if (!peerAuth.admits(secret?.toString())) {
        throw new PeerError("refused", "the caller did not present the fleet's secret");
      }
    },
    isOperator(metadata) {
      const [secret] = metadata.get(operatorSecretHeader);
      return peerAuth.isOperator(secret?.toString());
    },
    admit(method) {
      if (method?.parent.typeName === Health.typeName) return;
      if (drained !== undefined) throw new PeerError("draining", "the replica is draining");
    },
    enter() {
      inProgress += 1;
      return () => {
        inProgress -= 1;
        if (inProgress === 0) drained?.resolve();
      };
    },
    async drain(graceMs) {
      drained = Promise.withResolvers();
      if (inProgress === 0) return;
      const force = setTimeout(drained.resolve, graceMs);
      await drained.promise;
      clearTimeout(force);
    },
  };
}
