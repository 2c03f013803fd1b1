import { GatewayError } from "@tollgate/core/errors";
import type { SlotFailure } from "@tollgate/upstream/failure";

/** Returns the error of a stream that the provider ended before it was complete, and how it failed. */
export function brokenStream(failure?: SlotFailure): GatewayError {
  if (failure?.isTooLong) {
    const message = "The prompt and what was generated are too long for the model.";
    return new GatewayError("context_length_exceeded", message, { cause: failure });
  }
  const message = "The provider ended the stream before its finish.";
  // What is wrong with the gateway's key or bill is not the client's to know.
  const providerStatus = failure?.meaning === "key_or_bill" ? undefined : failure?.status;
  return new GatewayError("upstream_rejected", message, { providerStatus, cause: failure });
}
