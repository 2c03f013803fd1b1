import { once } from "node:events";
import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import {
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { PeerError, StartError } from "../errors.ts";
import type { Log } from "../log.ts";
import { outgoingError } from "./boundary.ts";
import { toStatus } from "./error-metadata.ts";
import { channelOptions, deserializer, serializer } from "./grpc-channel.ts";
import type { AnyHandler, Fields, Offer } from "./implementation.ts";

export interface GrpcServer {
  /** Takes no new call, waits for those under way, `graceMs` at most. */
  stop(graceMs: number): Promise<void>;
}

/** Serves the offers at `address` (`host:port` or `unix:path`). */
export async function serveGrpc(
  address: string,
  offers: readonly Offer[],
  log: Log,
): Promise<GrpcServer> {
  const server = new Server(channelOptions);
  for (const offer of offers) addService(server, offer, log);
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) => {
      if (error === null) return resolve();
      reject(new StartError(`cannot listen for gRPC on ${address}: ${error.message}`));
    });
  });
  return {
    async stop(graceMs) {
      const force = setTimeout(() => server.forceShutdown(), graceMs);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(force);
    },
  };
}

function addService(server: Server, offer: Offer, log: Log): void {
  const implementation: UntypedServiceImplementation = {};
  const definition: Record<string, MethodDefinition<Message, Message>> = {};
  for (const method of offer.service.methods) {
    const handler = offer.methods.get(method.name) as AnyHandler;
    const streams = method.methodKind === "server_streaming";
    definition[method.name] = {
      path: `/${offer.service.typeName}/${method.name}`,
      requestStream: false,
      responseStream: streams,
      requestSerialize: serializer(method.input),
      requestDeserialize: deserializer(method.input),
      responseSerialize: serializer(method.output),
      responseDeserialize: deserializer(method.output),
    };
    implementation[method.name] = streams
      ? streamHandler(method, handler, log)
      : unaryHandler(method, handler, log);
  }
  server.addService(definition, implementation);
}

function unaryHandler(method: DescMethod, handler: AnyHandler, log: Log) {
  return async (
    call: ServerUnaryCall<Message, Message>,
    answer: sendUnaryData<Message>,
  ): Promise<void> => {
    try {
      const context = { signal: signalOf(call) };
      const result = await (handler(call.request as never, context) as Promise<Fields>);
      answer(null, create(method.output, result));
    } catch (error) {
      answer(toStatus(outgoingError(error, method.name, log)));
    }
  };
}

function streamHandler(method: DescMethod, handler: AnyHandler, log: Log) {
  return async (call: ServerWritableStream<Message, Message>): Promise<void> => {
    const signal = signalOf(call);
    try {
      const messages = handler(call.request as never, { signal }) as AsyncIterable<Fields>;
      for await (const message of messages) {
        const more = call.write(create(method.output, message));
        if (!more && !signal.aborted) await once(call, "drain", { signal });
        if (signal.aborted) break;
      }
      call.end();
    } catch (error) {
      const failure = signal.aborted ? cancelled() : outgoingError(error, method.name, log);
      call.emit("error", toStatus(failure));
    }
  };
}

/** gRPC tells of a caller that left and of a deadline that passed by the same event. */
function signalOf(
  call: ServerUnaryCall<Message, Message> | ServerWritableStream<Message, Message>,
) {
  const controller = new AbortController();
  const abort = () => controller.abort(cancelled());
  if (call.cancelled) abort();
  call.once("cancelled", abort);
  return controller.signal;
}

function cancelled(): PeerError {
  return new PeerError("cancelled", "the caller went away");
}
