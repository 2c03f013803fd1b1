import { once } from "node:events";
import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import type {
  Metadata,
  MethodDefinition,
  Server,
  ServerUnaryCall,
  ServerWritableStream,
  sendUnaryData,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { readTraceHeaders } from "@tollgate/core/tracing";
import type { Gate } from "./call-guard.ts";
import { callerGone } from "./cancelled-caller.ts";
import { deserializer, serializer } from "./grpc-channel.ts";
import { toStatus } from "./grpc-status.ts";
import type { AnyHandler, CallContext, Fields, Offer } from "./implementation.ts";
import { nameOf } from "./method-name.ts";
import { outgoingError } from "./outgoing-error.ts";

/** Answers each call of a service as a gRPC call of its own. */
export function addPlainService(server: Server, offer: Offer, gate: Gate): void {
  const implementation: UntypedServiceImplementation = {};
  const definition: Record<string, MethodDefinition<Message, Message>> = {};
  for (const method of offer.service.methods) {
    const handler = offer.methods.get(method.name) as AnyHandler;
    const streams = method.methodKind === "server_streaming";
    definition[method.name] = {
      path: `/${nameOf(method)}`,
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
      gate.admitCall(method);
      const context = contextOf(call.metadata, signal);
      const result = await (handler(call.request as never, context) as Promise<Fields>);
      answer(null, create(method.output, result));
    } catch (error) {
      answer(toStatus(failureOf(error, method, signal, gate)));
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
      gate.admitCall(method);
      const context = contextOf(call.metadata, signal);
      const messages = handler(call.request as never, context) as AsyncIterable<Fields>;
      await writeAll(call, method, messages, signal);
      call.end();
    } catch (error) {
      call.end(toStatus(failureOf(error, method, signal, gate)).metadata);
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

/** What the caller is told of a call that failed. */
function failureOf(error: unknown, method: DescMethod, signal: AbortSignal, { log }: Gate) {
  return signal.aborted ? callerGone() : outgoingError(error, nameOf(method), log);
}

function contextOf(metadata: Metadata, signal: AbortSignal): CallContext {
  return { signal, trace: readTraceHeaders((name) => metadata.get(name)[0]?.toString()) };
}

/** gRPC tells of a caller that left and of a deadline that passed by the same event. */
function followCaller(
  call: ServerUnaryCall<Message, Message> | ServerWritableStream<Message, Message>,
) {
  const controller = new AbortController();
  const abort = () => controller.abort(callerGone());
  if (call.cancelled) abort();
  call.once("cancelled", abort);
  return {
    signal: controller.signal,
    ended: () => void call.removeListener("cancelled", abort),
  };
}
