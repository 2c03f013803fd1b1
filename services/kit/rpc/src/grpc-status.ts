import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Metadata, type ServiceError, type StatusObject, status } from "@grpc/grpc-js";
import { type GatewayError, PeerError } from "@tollgate/core/errors";
import { ErrorDetailSchema } from "@tollgate/proto/tollgate/v1/error";
import { fromErrorDetail, fromPeerReason, toErrorDetail } from "./error-detail.ts";

const detailKey = "tollgate-error-bin";
const peerKey = "tollgate-peer-error";

/** Returns an error as a gRPC status, with its details in the trailing metadata. */
export function toStatus(error: GatewayError | PeerError): StatusObject {
  const metadata = new Metadata();
  if (error instanceof PeerError) {
    metadata.set(peerKey, error.reason);
    return { code: peerStatus[error.reason], details: error.message, metadata };
  }
  metadata.set(detailKey, Buffer.from(toBinary(ErrorDetailSchema, toErrorDetail(error))));
  return { code: grpcStatus(error.status), details: error.message, metadata };
}

/** Returns the error that a failed call carries, or a PeerError if it carries none of ours. */
export function fromStatus(error: ServiceError): GatewayError | PeerError {
  const typed = errorIn(error.metadata, error);
  if (typed !== undefined) return typed;
  if (error.code === status.CANCELLED) return new PeerError("cancelled", error.details, error);
  if (error.code === status.DEADLINE_EXCEEDED) {
    return new PeerError("deadline", error.details, error);
  }
  return new PeerError("unavailable", error.details, error);
}

/**
 * Returns whether a call certainly reached no handler: its connection was closing or was never
 * made. grpc-js has no status code for that, only these texts.
 */
export function neverReachedHandler({ message }: PeerError): boolean {
  return /^Stream refused by server|No connection established/.test(message);
}

/** Returns the error in the trailing metadata of a call, if there is one. */
export function errorIn(metadata: Metadata, cause?: unknown): GatewayError | PeerError | undefined {
  const [reason] = metadata.get(peerKey);
  if (reason !== undefined) return fromPeerReason(reason.toString(), cause);
  const [encoded] = metadata.get(detailKey);
  if (!Buffer.isBuffer(encoded)) return undefined;
  return fromErrorDetail(fromBinary(ErrorDetailSchema, encoded), cause);
}

const peerStatus = {
  unavailable: status.UNAVAILABLE,
  deadline: status.DEADLINE_EXCEEDED,
  cancelled: status.CANCELLED,
  refused: status.PERMISSION_DENIED,
  draining: status.UNAVAILABLE,
} as const;

/** Returns the closest gRPC status, for generic gRPC tools. Our clients read the details. */
function grpcStatus(httpStatus: number): status {
  switch (httpStatus) {
    case 401:
      return status.UNAUTHENTICATED;
    case 402:
      return status.RESOURCE_EXHAUSTED;
    case 403:
      return status.PERMISSION_DENIED;
    case 404:
      return status.NOT_FOUND;
    case 409:
      return status.ABORTED;
    case 500:
      return status.INTERNAL;
    default:
      return httpStatus < 500 ? status.INVALID_ARGUMENT : status.FAILED_PRECONDITION;
  }
}
