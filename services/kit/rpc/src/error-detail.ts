import { create } from "@bufbuild/protobuf";
import { GatewayError, isErrorCode, PeerError } from "@tollgate/core/errors";
import { type ErrorDetail, ErrorDetailSchema } from "@tollgate/proto/tollgate/v1/error";
import { RateLimitsSchema } from "@tollgate/proto/tollgate/v1/limits";
import { type End, EndSchema } from "@tollgate/proto/tollgate/v1/mux";

/** Returns an error as the message that carries it between services. */
export function toErrorDetail(error: GatewayError): ErrorDetail {
  const detail = create(ErrorDetailSchema, {
    code: error.code,
    message: error.message,
    param: error.param ?? "",
    isPermanent: error.isPermanent,
    hasRecord: error.hasRecord,
  });
  if (error.retryAfterSeconds !== undefined) detail.retryAfterSeconds = error.retryAfterSeconds;
  if (error.providerStatus !== undefined) detail.providerStatus = error.providerStatus;
  if (error.rates !== undefined) detail.rates = create(RateLimitsSchema, error.rates);
  return detail;
}

/** Returns the error that a message carries. An unknown code becomes `internal_error`. */
export function fromErrorDetail(detail: ErrorDetail, cause?: unknown): GatewayError {
  const code = isErrorCode(detail.code) ? detail.code : "internal_error";
  return new GatewayError(code, detail.message, {
    param: detail.param === "" ? undefined : detail.param,
    retryAfterSeconds: detail.retryAfterSeconds,
    isPermanent: detail.isPermanent,
    providerStatus: detail.providerStatus,
    rates: detail.rates,
    hasRecord: detail.hasRecord,
    cause,
  });
}

/** Returns the PeerError with a reason that a peer sent. An unknown one becomes `unavailable`. */
export function fromPeerReason(reason: string, cause?: unknown): PeerError {
  return new PeerError(
    isPeerReason(reason) ? reason : "unavailable",
    `the service called returned "${reason}"`,
    cause,
  );
}

/** Returns an error as the end of a multiplexed call. */
export function toEnd(error: GatewayError | PeerError): End {
  return error instanceof PeerError
    ? create(EndSchema, { peerReason: error.reason })
    : create(EndSchema, { error: toErrorDetail(error) });
}

/** Returns the error of a multiplexed call, or undefined if it succeeded. */
export function fromEnd({ error, peerReason }: End): GatewayError | PeerError | undefined {
  if (error !== undefined) return fromErrorDetail(error);
  return peerReason === "" ? undefined : fromPeerReason(peerReason);
}

const peerReasons: ReadonlySet<string> = new Set<PeerError["reason"]>([
  "unavailable",
  "deadline",
  "cancelled",
  "refused",
  "draining",
]);

function isPeerReason(reason: string): reason is PeerError["reason"] {
  return peerReasons.has(reason);
}
