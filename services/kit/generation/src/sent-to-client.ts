import { GatewayError, internalError, PeerError, serviceUnavailable } from "@tollgate/core/errors";
import { SlotFailure } from "@tollgate/upstream/failure";
import { brokenStream } from "./broken-stream.ts";

/** What the client of a request was sent. */
export interface SentToClient {
  /** The HTTP status. 0 where the client had left. */
  status: number;
  /** The code and the message of the error. Absent and empty for a response without one. */
  code?: string;
  message: string;
  /** Whether a response that ended before it was complete is billed. Default: not. */
  isPartial?: boolean;
}

export const sentInFull: SentToClient = { status: 200, message: "" };
/** Of a client that left before the end of its response. */
export const sentToNobody: SentToClient = { status: 0, message: "" };

/** Returns what the client is sent of a call that ended with `failure`; undefined: without an error. */
export function sentAfter(failure: unknown): SentToClient {
  if (failure === undefined) return sentToNobody;
  if (failure instanceof SlotFailure) return brokenStream(failure);
  if (failure instanceof GatewayError) return failure;
  if (!(failure instanceof PeerError)) return internalError(failure);
  return failure.reason === "cancelled" ? sentToNobody : serviceUnavailable(failure);
}
