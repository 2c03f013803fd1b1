import type { DescMethod } from "@bufbuild/protobuf";
import type { MethodDefinition } from "@grpc/grpc-js";
import {
  type ExchangeRequest,
  ExchangeRequestSchema,
  type ExchangeResponse,
  ExchangeResponseSchema,
} from "@tollgate/proto/tollgate/v1/exchange";
import { deserializer, serializer } from "./grpc-channel.ts";

/** A large message goes in pieces of this size, so that other calls come in between. */
export const pieceBytes = 64 * 1024;
/** How much of an answer may be on its way unread. */
export const windowBytes = 256 * 1024;
const frameOverheadBytes = 64;

/** What a piece takes of its call's window. */
export function weightOf(piece: Uint8Array): number {
  return piece.length + frameOverheadBytes;
}

export const exchangeMethod: MethodDefinition<ExchangeRequest, ExchangeResponse> = {
  path: "/tollgate.v1.ExchangeService/Exchange",
  requestStream: true,
  responseStream: true,
  requestSerialize: serializer(ExchangeRequestSchema),
  requestDeserialize: deserializer(ExchangeRequestSchema) as (bytes: Buffer) => ExchangeRequest,
  responseSerialize: serializer(ExchangeResponseSchema),
  responseDeserialize: deserializer(ExchangeResponseSchema) as (bytes: Buffer) => ExchangeResponse,
};

/** A method's name on an exchange. */
export function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}
