import { create } from "@bufbuild/protobuf";
import { GatewayError, isErrorCode, PeerError } from "@tollgate/core/errors";
import { type ErrorDetail, ErrorDetailSchema } from "@tollgate/proto/tollgate/v1/error";
import { type End, EndSchema } from "@tollgate/proto/tollgate/v1/trunk";

/** A refusal as a message. */
export function detailOf(error: GatewayError): ErrorDetail {
  const detail = create(ErrorDetailSchema, {
    code: error.code,
    message: error.message,
    param: error.param ?? "",
  });
  if (error.retryAfterSeconds !== undefined) detail.retryAfterSeconds = error.retryAfterSeconds;
  return detail;
}

/** The refusal that a message tells of. */
export function gatewayErrorOf(detail: ErrorDetail, cause?: unknown): GatewayError {
  const code = isErrorCode(detail.code) ? detail.code : "internal_error";
  return new GatewayError(code, detail.message, {
    param: detail.param === "" ? undefined : detail.param,
    retryAfterSeconds: detail.retryAfterSeconds,
    cause,
  });
}

/** The PeerError whose reason a peer named; a reason that is not known here is `unavailable`. */
export function peerErrorOf(reason: string, cause?: unknown): PeerError {
  return new PeerError(
    isPeerReason(reason) ? reason : "unavailable",
    "a service further on failed",
    cause,
  );
}

/** How a call ended, as a message. */
export function endOf(error: GatewayError | PeerError): End {
  return error instanceof PeerError
    ? create(EndSchema, { peerReason: error.reason })
    : create(EndSchema, { error: detailOf(error) });
}

/** The error with which a call ended, if it did. */
export function errorOfEnd({ error, peerReason }: End): GatewayError | PeerError | undefined {
  if (error !== undefined) return gatewayErrorOf(error);
  return peerReason === "" ? undefined : peerErrorOf(peerReason);
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
