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
import type { Trust } from "../trust.ts";
import { outgoingError } from "./boundary.ts";
import { toStatus } from "./error-metadata.ts";
import { channelOptions, deserializer, serializer } from "./grpc-channel.ts";
import { createGate, type Gate } from "./grpc-gate.ts";
import type { AnyHandler, Fields, Offer } from "./implementation.ts";

/** How long connections without a call may take to end. */
const idleGraceMs = 1_000;

export interface GrpcServer {
  /**
   * Takes no new call, waits for those under way, `graceMs` at most. Connections stay until then:
   * grpc-js drops what is under way on a closing connection when its next keep-alive ping is due.
   */
  stop(graceMs: number): Promise<void>;
}

/** Serves the offers at `address` (`host:port` or `unix:path`). */
export async function serveGrpc(
  address: string,
  offers: readonly Offer[],
  { log, trust }: { log: Log; trust: Trust },
): Promise<GrpcServer> {
  const gate = createGate(log, trust);
  const server = new Server(channelOptions);
  for (const offer of offers) addService(server, offer, gate);
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) => {
      if (error === null) return resolve();
      reject(new StartError(`cannot listen for gRPC on ${address}: ${error.message}`));
    });
  });
  return {
    async stop(graceMs) {
      await gate.close(graceMs);
      const force = setTimeout(() => server.forceShutdown(), idleGraceMs);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(force);
    },
  };
}

function addService(server: Server, offer: Offer, gate: Gate): void {
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
      ? streamHandler(method, handler, gate)
      : unaryHandler(method, handler, gate);
  }
  server.addService(definition, implementation);
}

function unaryHandler(method: DescMethod, handler: AnyHandler, gate: Gate) {
  return async (
    call: ServerUnaryCall<Message, Message>,
    answer: sendUnaryData<Message>,
  ): Promise<void> => {
    const { signal, ended } = followCaller(call);
    const leave = gate.enter();
    try {
      gate.admit(call.metadata, method);
      const result = await (handler(call.request as never, { signal }) as Promise<Fields>);
      answer(null, create(method.output, result));
    } catch (error) {
      const failure = signal.aborted ? cancelled() : outgoingError(error, method.name, gate.log);
      answer(toStatus(failure));
    } finally {
      ended();
      leave();
    }
  };
}

/**
 * A status that is not OK overtakes messages on their way. A stream's own error must come after
 * them, so it travels in the trailing metadata of an OK status.
 */
function streamHandler(method: DescMethod, handler: AnyHandler, gate: Gate) {
  return async (call: ServerWritableStream<Message, Message>): Promise<void> => {
    const { signal, ended } = followCaller(call);
    const leave = gate.enter();
    try {
      gate.admit(call.metadata, method);
      const messages = handler(call.request as never, { signal }) as AsyncIterable<Fields>;
      await writeAll(call, method, messages, signal);
      call.end();
    } catch (error) {
      const failure = signal.aborted ? cancelled() : outgoingError(error, method.name, gate.log);
      call.end(toStatus(failure).metadata);
    } finally {
      ended();
      leave();
    }
  };
}

/** Writes as fast as the caller reads. */
async function writeAll(
  call: ServerWritableStream<Message, Message>,
  method: DescMethod,
  messages: AsyncIterable<Fields>,
  signal: AbortSignal,
): Promise<void> {
  for await (const message of messages) {
    const more = call.write(create(method.output, message));
    if (!more && !signal.aborted) await once(call, "drain", { signal });
    if (signal.aborted) return;
  }
}

/** gRPC tells of a caller that left and of a deadline that passed by the same event. */
function followCaller(
  call: ServerUnaryCall<Message, Message> | ServerWritableStream<Message, Message>,
) {
  const controller = new AbortController();
  const abort = () => controller.abort(cancelled());
  if (call.cancelled) abort();
  call.once("cancelled", abort);
  return {
    signal: controller.signal,
    ended: () => void call.removeListener("cancelled", abort),
  };
}

function cancelled(): PeerError {
  return new PeerError("cancelled", "the caller went away");
}
