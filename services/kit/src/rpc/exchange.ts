import type { DescMethod } from "@bufbuild/protobuf";
import {
  type ExchangeRequest,
  ExchangeRequestSchema,
  type ExchangeResponse,
  ExchangeResponseSchema,
} from "@tollgate/proto/tollgate/v1/exchange";
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

/** Both sides write batches that are encoded already: see `encodeFrames`. */
export const exchangeMethod = {
  path: "/tollgate.v1.ExchangeService/Exchange",
  requestStream: true,
  responseStream: true,
  requestSerialize: (batch: Buffer) => batch,
  requestDeserialize: deserializer(ExchangeRequestSchema) as (bytes: Buffer) => ExchangeRequest,
  responseSerialize: (batch: Buffer) => batch,
  responseDeserialize: deserializer(ExchangeResponseSchema) as (bytes: Buffer) => ExchangeResponse,
};

/** A method's name on an exchange. */
export function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}
