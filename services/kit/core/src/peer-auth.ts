import { createHash, timingSafeEqual } from "node:crypto";

/** The HTTP header, and the gRPC metadata key, that carries the fleet's secret. */
export const secretHeader = "x-tollgate-fleet-secret";
/** The gRPC metadata key that carries the operators' secret. */
export const operatorSecretHeader = "x-tollgate-operator-secret";

/** The secrets of a fleet. */
export interface FleetSecrets {
  /** Every service has it. */
  fleet?: string | undefined;
  /**
   * What adds money to wallets or changes keys needs it, too. Only the services that do this, the
   * console and the `tollgate` command have it: a service that calls providers cannot mint money.
   */
  operator?: string | undefined;
}

/** Authenticates services to each other. Without a fleet's secret, it admits every caller. */
export interface PeerAuth {
  /** The fleet's secret, sent with each call to a peer, and to nothing else. */
  readonly secret: string | undefined;
  /** The operators' secret, sent to peers that check it. */
  readonly operatorSecret: string | undefined;
  /** Returns whether a caller sent the fleet's secret. Compares in constant time. */
  admits(secret: string | undefined): boolean;
  /**
   * Returns whether a caller sent the operators' secret, in the same way. With a fleet's secret and no
   * operators' secret, no caller is an operator.
   */
  isOperator(secret: string | undefined): boolean;
}

export function createPeerAuth({ fleet, operator }: FleetSecrets): PeerAuth {
  const admits = matcherOf(fleet);
  return {
    secret: fleet,
    operatorSecret: operator,
    admits: admits ?? (() => true),
    isOperator: matcherOf(operator) ?? (() => admits === undefined),
  };
}

function matcherOf(secret: string | undefined) {
  if (secret === undefined) return undefined;
  const expected = digest(secret);
  return (sent: string | undefined) =>
    sent !== undefined && timingSafeEqual(digest(sent), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
