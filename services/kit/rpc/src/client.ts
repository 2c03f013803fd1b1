/**
 * How a call travels
 *
 * `createClient` turns each method of a service into a function: a unary method returns a promise,
 * a server stream returns an async iterable. A transport carries the call:
 *
 * - `local-transport.ts` calls the handler of a service in the same process. Messages are passed by
 *   reference, without encoding.
 * - `grpc-transport.ts` calls a service in another process. `replicas.ts` picks one of the replicas
 *   that `lookup.ts` finds, and `replica.ts` holds one HTTP/2 connection to it. Most calls share one
 *   bidirectional stream on that connection, the mux (`mux.ts`: `mux-call.ts` and `mux-client.ts` on
 *   the client, `mux-server.ts` and `mux-handlers.ts` on the server). A request over 256 KiB and a
 *   health check are gRPC calls of their own (`grpc-call.ts`, `grpc-handlers.ts`). `grpc-server.ts`
 *   serves both, and `call-guard.ts` admits each call.
 *
 * The rules are the same for both transports, except that a local call never drains or retries:
 *
 * - Deadline: `timeoutMs` bounds the complete call, a stream included. When it passes, the client
 *   rejects with the PeerError `deadline`, and the handler's `signal` aborts.
 * - Cancel: when the caller's `signal` aborts, the client rejects with `cancelled`, and the
 *   handler's `signal` aborts, except during a part that must run to its end (`beginPart`). A caller that
 *   leaves a stream's loop early cancels it too. Where the gateway itself ends the request, the client
 *   rejects with `unavailable`, and the handler's `signal` aborts at once.
 * - Stream: a slow reader slows its handler: by pull in the process, by a window of 256 KiB on the
 *   mux, by HTTP/2 flow control in a gRPC call. An error arrives after all messages before it.
 * - Error: a GatewayError or a PeerError reaches the caller with its details. Any other error that
 *   a handler throws is logged there and becomes `internal_error` (`outgoing-error.ts`).
 * - Drain: a server that stops refuses new calls with `draining`, completes those in progress
 *   within its grace period, then closes its connections.
 * - Retry: a call that never reached a handler, since its replica drains or the connection was not
 *   made, is retried on another replica within its timeout. No other call is ever sent twice.
 * - Lost connection: calls in progress reject with `unavailable`; the next call connects again.
 */
import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import type { CallOptions, Client, Fields } from "./implementation.ts";

/** Carries calls to handlers. There are two: over gRPC, and inside the process. */
export interface Transport {
  unary(method: DescMethod, request: Message, options: CallOptions): Promise<Message>;
  serverStream(method: DescMethod, request: Message, options: CallOptions): AsyncIterable<Message>;
}

/** Returns a typed client of `service`. Its methods throw GatewayError and PeerError only. */
export function createClient<S extends DescService>(service: S, transport: Transport): Client<S> {
  const methods = service.methods.map((method) => [method.localName, call(method, transport)]);
  return Object.fromEntries(methods) as Client<S>;
}

function call(method: DescMethod, transport: Transport) {
  switch (method.methodKind) {
    case "unary":
      return (request: Fields, options: CallOptions = {}) =>
        transport.unary(method, create(method.input, request), options);
    case "server_streaming":
      return (request: Fields, options: CallOptions = {}) =>
        transport.serverStream(method, create(method.input, request), options);
    default:
      throw new Error(`${method.name}: ${method.methodKind} calls are not supported`);
  }
}
