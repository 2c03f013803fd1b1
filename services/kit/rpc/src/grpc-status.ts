import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Metadata, type ServiceError, type StatusObject, status } from "@grpc/grpc-js";
import { type GatewayError, PeerError } from "@tollgate/core/errors";
import { ErrorDetailSchema } from "@tollgate/proto/tollgate/v1/error";
import { detailOf, gatewayErrorOf, peerErrorOf } from "./error-detail.ts";

const detailKey = "tollgate-error-bin";
const peerKey = "tollgate-peer-error";

/** A typed error as a gRPC status, its details in the trailing metadata. */
export function toStatus(error: GatewayError | PeerError): StatusObject {
  const metadata = new Metadata();
  if (error instanceof PeerError) {
    metadata.set(peerKey, error.reason);
    return { code: peerStatus[error.reason], details: error.message, metadata };
  }
  metadata.set(detailKey, Buffer.from(toBinary(ErrorDetailSchema, detailOf(error))));
  return { code: grpcStatus(error.status), details: error.message, metadata };
}

/** The typed error that a failed call carried, or a PeerError when the peer never answered. */
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
 * Whether a call certainly met no handler: its connection was closing, or was not made. grpc-js has
 * no code of its own for that, only these words.
 */
export function reachedNobody({ message }: PeerError): boolean {
  return /^Stream refused by server|No connection established/.test(message);
}

/** The typed error in a call's trailing metadata, if there is one. */
export function errorIn(metadata: Metadata, cause?: unknown): GatewayError | PeerError | undefined {
  const [reason] = metadata.get(peerKey);
  if (reason !== undefined) return peerErrorOf(reason.toString(), cause);
  const [encoded] = metadata.get(detailKey);
  if (!Buffer.isBuffer(encoded)) return undefined;
  return gatewayErrorOf(fromBinary(ErrorDetailSchema, encoded), cause);
}

const peerStatus = {
  unavailable: status.UNAVAILABLE,
  deadline: status.DEADLINE_EXCEEDED,
  cancelled: status.CANCELLED,
  refused: status.PERMISSION_DENIED,
  draining: status.UNAVAILABLE,
} as const;

/** The nearest gRPC status, for tools that look at gRPC alone; ours read the details. */
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
