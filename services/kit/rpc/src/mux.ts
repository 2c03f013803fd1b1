import {
  type TrunkRequest,
  TrunkRequestSchema,
  type TrunkResponse,
  TrunkResponseSchema,
} from "@tollgate/proto/tollgate/v1/trunk";
import { deserializer } from "./grpc-channel.ts";

/** A large message goes in pieces of this size, so that other calls come in between. */
export const pieceBytes = 64 * 1024;
/** How much of an answer may be on its way unread. */
export const windowBytes = 256 * 1024;
const frameOverheadBytes = 64;

/** What a piece takes of its call's window. */
export function weightOf(piece: Uint8Array): number {
  return piece.length + frameOverheadBytes;
}

/** Both sides write batches that are encoded already: see `createFrameBatch`. */
export const trunkMethod = {
  path: "/tollgate.v1.TrunkService/Trunk",
  requestStream: true,
  responseStream: true,
  requestSerialize: (batch: Buffer) => batch,
  requestDeserialize: deserializer(TrunkRequestSchema) as (bytes: Buffer) => TrunkRequest,
  responseSerialize: (batch: Buffer) => batch,
  responseDeserialize: deserializer(TrunkResponseSchema) as (bytes: Buffer) => TrunkResponse,
};
