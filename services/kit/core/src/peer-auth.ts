import { createHash, timingSafeEqual } from "node:crypto";

/** The header, and the gRPC metadata, in which a service shows that it is of the fleet. */
export const secretHeader = "x-tollgate-fleet-secret";

/** Who may call a service: whoever has the fleet's secret, or, where there is none, whoever can. */
export interface Trust {
  readonly secret: string | undefined;
  admits(shown: string | undefined): boolean;
}

/** Compares in constant time. `secret` comes from the environment and goes nowhere but to peers. */
export function createTrust(secret: string | undefined): Trust {
  const expected = secret === undefined ? undefined : digest(secret);
  return {
    secret,
    admits(shown) {
      if (expected === undefined) return true;
      return shown !== undefined && timingSafeEqual(digest(shown), expected);
    },
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
