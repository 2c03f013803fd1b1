import { GatewayError } from "@tollgate/core/errors";

/** Returns the error of a stream that the provider ended before it was complete. */
export function brokenStream(): GatewayError {
  return new GatewayError("upstream_rejected", "The provider ended the stream before its finish.");
}
