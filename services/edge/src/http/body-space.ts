import { GatewayError } from "@tollgate/core/errors";
import { createSharedSpace } from "@tollgate/http/shared-space";
import { maxBodyBytes } from "./request-body.ts";

/** Long enough for most of the bodies that take the space to arrive. */
const retryAfterSeconds = 2;

/**
 * The memory that the JSON bodies being read may take: those of the process in all, and those of one
 * API key. Without it, many clients that each send a large body slowly would exhaust the process.
 */
export interface BodySpace {
  /**
   * Runs `work`, which reads a body of a key with the reservation that it is given and uses it.
   * Releases the reservation when `work` has ended.
   */
  hold<T>(keyId: string, work: (reservation: BodyReservation) => Promise<T>): Promise<T>;
}

/** The memory of one body, decoded. */
export interface BodyReservation {
  /**
   * Adds bytes to the reservation. Throws `no_provider_available` with a `Retry-After` where the
   * process or the key would exceed its limit.
   */
  grow(bytes: number): void;
}

/**
 * Creates the space. One key may use a quarter of `maxBytes`, but always enough for one body.
 * `onChange` is called with the bytes in use, whenever they change.
 */
export function createBodySpace(maxBytes: number, onChange: (bytes: number) => void): BodySpace {
  const space = createSharedSpace({ maxBytes, largestBytes: maxBodyBytes, onChange });
  return {
    async hold(keyId, work) {
      const reserved = space.open(keyId);
      try {
        return await work({
          grow(bytes) {
            if (!reserved.take(bytes)) throw spaceInUse();
          },
        });
      } finally {
        reserved.release();
      }
    },
  };
}

function spaceInUse(): GatewayError {
  const message = "The gateway's memory for request bodies is in use. Retry in a moment.";
  return new GatewayError("no_provider_available", message, { retryAfterSeconds });
}
