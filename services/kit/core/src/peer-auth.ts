import { createHash, timingSafeEqual } from "node:crypto";

/** The HTTP header, and the gRPC metadata key, that carries the fleet's secret. */
export const secretHeader = "x-tollgate-fleet-secret";

/** Authenticates services to each other by one secret. Without a secret, it admits every caller. */
export interface PeerAuth {
  /** Sent with each call to a peer, and to nothing else. */
  readonly secret: string | undefined;
  /** Returns whether a caller sent the fleet's secret. Compares in constant time. */
  admits(secret: string | undefined): boolean;
}

export function createPeerAuth(secret: string | undefined): PeerAuth {
  const expected = secret === undefined ? undefined : digest(secret);
  return {
    secret,
    admits(sent) {
      if (expected === undefined) return true;
      return sent !== undefined && timingSafeEqual(digest(sent), expected);
    },
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
