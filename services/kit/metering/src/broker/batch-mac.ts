import { createHmac, timingSafeEqual } from "node:crypto";

/** The header of a message on the broker that carries the MAC of its usage events. */
export const macHeader = "Tollgate-Mac";

/**
 * Authenticates batches of usage events by the fleet's secret. A client of the broker that does not
 * know the secret can otherwise write charges for any account.
 */
export interface BatchMac {
  /** Returns the MAC of a message's bytes. */
  sign(payload: Uint8Array): string;
  /** Returns whether `mac` is that of these bytes. Compares in constant time. */
  admits(payload: Uint8Array, mac: string | undefined): boolean;
}

/** Creates the MAC of a fleet, whose key is derived from the secret. */
export function createBatchMac(fleetSecret: string): BatchMac {
  const key = createHmac("sha256", fleetSecret).update("usage events on the broker").digest();
  const digest = (payload: Uint8Array) => createHmac("sha256", key).update(payload).digest();
  return {
    sign: (payload) => digest(payload).toString("base64url"),
    admits(payload, mac = "") {
      const sent = Buffer.from(mac, "base64url");
      const expected = digest(payload);
      return sent.length === expected.length && timingSafeEqual(sent, expected);
    },
  };
}
