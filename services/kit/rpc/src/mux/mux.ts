/**
 * The mux: one bidirectional gRPC stream that carries many calls between two processes, as frames
 * that mux.proto defines. Both ends write encoded batches of frames (`frame-batch.ts`).
 *
 * - A unary call: the client sends `open` with the request, the server sends the response with
 *   `end`. A large message is sent in chunks, with the frames of other calls between them.
 * - A stream: the server sends messages while the call's window has room. The client sends `credit`
 *   as its reader consumes messages, which reopens the window.
 * - Cancel: the client sends `cancel` and drops later frames of the call. The server aborts the
 *   handler's signal and sends nothing more.
 * - Deadline: each end runs a timer of its own, since the other may hang or be cut off.
 * - Drain: the server first announces that it is leaving, so that clients find other replicas while
 *   it still begins calls. Then it sends a frame for call 0, completes the calls in progress, and
 *   ends the stream with OK. A call that it never began gets the PeerError `draining`, and so is
 *   retried.
 * - Lost connection: the client rejects all calls in progress, and the server aborts those whose caller
 *   had not left.
 *
 * Why it exists: CPU of both processes together, in µs, on two cores (medians of three runs; the
 * ratios hold from run to run, the times do not):
 *
 * | | plain grpc-js | the mux | an HTTP/1.1 hop |
 * |---|--:|--:|--:|
 * | unary, 1 KB, 1 client | 499 | 139 (0.28) | 140 (0.28) |
 * | unary, 1 KB, 64 clients | 249 | 25 (0.10) | 87 (0.35) |
 * | stream, 50 messages in one burst | 1,172 | 327 (0.28) | 321 (0.27) |
 * | stream, 50 messages over 250 ms | 2,020 | 1,330 (0.66) | 2,312 (1.14) |
 */
import {
  type MuxRequest,
  MuxRequestSchema,
  type MuxResponse,
  MuxResponseSchema,
  MuxService,
} from "@tollgate/proto/tollgate/v1/mux";
import { deserializer } from "../grpc-channel.ts";
import { nameOf } from "../method-name.ts";

/** A large message is sent in chunks of this size, with the frames of other calls between them. */
export const chunkBytes = 64 * 1024;
/** How much of a call's response may be sent but not yet read. */
export const windowBytes = 256 * 1024;
const frameOverheadBytes = 64;

/** Returns how much of its call's window a chunk takes. */
export function windowCost(chunk: Uint8Array): number {
  return chunk.length + frameOverheadBytes;
}

/** The method as grpc-js takes it. Outgoing batches are already encoded; see `createFrameBatch`. */
export const muxMethod = {
  path: `/${nameOf(MuxService.method.mux)}`,
  requestStream: true,
  responseStream: true,
  requestSerialize: (batch: Buffer) => batch,
  requestDeserialize: deserializer(MuxRequestSchema) as (bytes: Buffer) => MuxRequest,
  responseSerialize: (batch: Buffer) => batch,
  responseDeserialize: deserializer(MuxResponseSchema) as (bytes: Buffer) => MuxResponse,
};
