import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import type { CallOptions, Client, Fields } from "./implementation.ts";

/** How a call travels. There are two: over gRPC, and inside the process. */
export interface Transport {
  unary(method: DescMethod, request: Message, options: CallOptions): Promise<Message>;
  serverStream(method: DescMethod, request: Message, options: CallOptions): AsyncIterable<Message>;
}

/** A typed client of `service` over `transport`. Raises GatewayError and PeerError. */
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
      throw new Error(`${method.name}: ${method.methodKind} calls are not built`);
  }
}
