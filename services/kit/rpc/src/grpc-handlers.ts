import { once } from "node:events";
import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import type {
  Metadata,
  MethodDefinition,
  Server,
  ServerUnaryCall,
  ServerWritableStream,
  StatusObject,
  sendUnaryData,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { readTraceHeaders } from "@tollgate/core/tracing";
import type { CallGuard } from "./call-guard.ts";
import { cancelledError } from "./cancellation.ts";
import { deserializer, serializer } from "./grpc-channel.ts";
import { toStatus } from "./grpc-status.ts";
import type { AnyHandler, CallContext, Fields, ServiceBinding } from "./implementation.ts";
import { nameOf } from "./method-name.ts";
import { outgoingError } from "./outgoing-error.ts";

type UnaryCall = ServerUnaryCall<Message, Message>;
type StreamCall = ServerWritableStream<Message, Message>;

/** Serves each call of a service that arrives as a gRPC call of its own. */
export function addGrpcService(server: Server, binding: ServiceBinding, guard: CallGuard): void {
  const implementation: UntypedServiceImplementation = {};
  const definition: Record<string, MethodDefinition<Message, Message>> = {};
  for (const method of binding.service.methods) {
    const handler = binding.methods.get(method.name) as AnyHandler;
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
      ? streamHandler(method, handler, guard)
      : unaryHandler(method, handler, guard);
  }
  server.addService(definition, implementation);
}

function unaryHandler(method: DescMethod, handler: AnyHandler, guard: CallGuard) {
  return (call: UnaryCall, respond: sendUnaryData<Message>): Promise<void> =>
    runCall(call, method, guard, {
      async run(context) {
        const fields = await (handler(call.request as never, context) as Promise<Fields>);
        respond(null, create(method.output, fields));
      },
      fail: respond,
    });
}

/**
 * A status other than OK overtakes messages that are still being sent. The error of a stream must
 * arrive after them, so it travels in the trailing metadata of an OK status.
 */
function streamHandler(method: DescMethod, handler: AnyHandler, guard: CallGuard) {
  return (call: StreamCall): Promise<void> =>
    runCall(call, method, guard, {
      async run(context) {
        const messages = handler(call.request as never, context) as AsyncIterable<Fields>;
        await writeAll(call, method, messages, context.signal);
        call.end();
      },
      fail: ({ metadata }) => void call.end(metadata),
    });
}

/** Runs a call that the guard admits, and sends the error that it throws. */
async function runCall(
  call: UnaryCall | StreamCall,
  method: DescMethod,
  guard: CallGuard,
  parts: { run(context: CallContext): Promise<void>; fail(status: StatusObject): void },
): Promise<void> {
  const { signal, unfollow } = followCaller(call);
  const leave = guard.enter();
  try {
    guard.admit(method);
    await parts.run(contextOf(call.metadata, signal));
  } catch (error) {
    const failure = signal.aborted
      ? cancelledError()
      : outgoingError(error, nameOf(method), guard.log);
    parts.fail(toStatus(failure));
  } finally {
    unfollow();
    leave();
  }
}

/** Writes each message once the caller has read enough of those before it. */
async function writeAll(
  call: StreamCall,
  method: DescMethod,
  messages: AsyncIterable<Fields>,
  signal: AbortSignal,
): Promise<void> {
  for await (const message of messages) {
    const hasRoom = call.write(create(method.output, message));
    if (!hasRoom && !signal.aborted) await once(call, "drain", { signal });
    if (signal.aborted) return;
  }
}

function contextOf(metadata: Metadata, signal: AbortSignal): CallContext {
  return { signal, trace: readTraceHeaders((name) => metadata.get(name)[0]?.toString()) };
}

/** grpc-js emits `cancelled` both when the caller disconnects and when the deadline passes. */
function followCaller(call: UnaryCall | StreamCall) {
  const controller = new AbortController();
  const abort = () => controller.abort(cancelledError());
  if (call.cancelled) abort();
  call.once("cancelled", abort);
  return {
    signal: controller.signal,
    unfollow: () => void call.removeListener("cancelled", abort),
  };
}
