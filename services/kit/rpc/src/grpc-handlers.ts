import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import type {
  Metadata,
  MethodDefinition,
  Server,
  ServerDuplexStream,
  ServerReadableStream,
  StatusObject,
  sendUnaryData,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { Cancellation, callerLeftError } from "@tollgate/core/cancellation";
import { PeerError } from "@tollgate/core/errors";
import { createSignal } from "@tollgate/core/signal";
import { readTraceHeaders, type TraceHeaders } from "@tollgate/core/tracing";
import { type CallGuard, notAnOperator } from "./call-guard.ts";
import { deadlineError } from "./cancellation.ts";
import { deserializer, serializer } from "./grpc-channel.ts";
import { toStatus } from "./grpc-status.ts";
import type { AnyHandler, CallContext, Fields, ServiceBinding } from "./implementation.ts";
import { nameOf } from "./method-name.ts";
import { outgoingError } from "./outgoing-error.ts";

type UnaryCall = ServerReadableStream<Message, Message>;
type StreamCall = ServerDuplexStream<Message, Message>;

/**
 * Serves each call of a service that arrives as a gRPC call of its own. Any gRPC client can call the methods
 * of the proto files. A second message of the request is optional, and says that the caller left.
 */
export function addGrpcService(server: Server, binding: ServiceBinding, guard: CallGuard): void {
  const implementation: UntypedServiceImplementation = {};
  const definition: Record<string, MethodDefinition<Message, Message>> = {};
  for (const method of binding.service.methods) {
    const handler = binding.methods.get(method.name) as AnyHandler;
    const streams = method.methodKind === "server_streaming";
    definition[method.name] = {
      path: `/${nameOf(method)}`,
      requestStream: true,
      responseStream: streams,
      requestSerialize: serializer(method.input),
      requestDeserialize: deserializer(method.input),
      responseSerialize: serializer(method.output),
      responseDeserialize: deserializer(method.output),
    };
    const served = { method, guard, forOperators: binding.operatorMethods.has(method.name) };
    implementation[method.name] = streams
      ? streamHandler(served, handler)
      : unaryHandler(served, handler);
  }
  server.addService(definition, implementation);
}

/** A method as it is served. */
interface ServedMethod {
  method: DescMethod;
  guard: CallGuard;
  /** Whether only operators may call it. */
  forOperators: boolean;
}

function unaryHandler(served: ServedMethod, handler: AnyHandler) {
  return (call: UnaryCall, respond: sendUnaryData<Message>): Promise<void> =>
    runCall(call, served, {
      async run(request, context) {
        const fields = await (handler(request as never, context) as Promise<Fields>);
        respond(null, create(served.method.output, fields));
      },
      fail: respond,
    });
}

/**
 * A status other than OK overtakes messages that are still being sent. The error of a stream must
 * arrive after them, so it travels in the trailing metadata of an OK status.
 */
function streamHandler(served: ServedMethod, handler: AnyHandler) {
  return (call: StreamCall): Promise<void> =>
    runCall(call, served, {
      async run(request, context) {
        const messages = handler(request as never, context) as AsyncIterable<Fields>;
        await writeAll(call, served.method, messages, context);
        call.end();
      },
      fail: ({ metadata }) => void call.end(metadata),
    });
}

/** Runs a call that the guard admits, and sends the error that it throws. */
async function runCall(
  call: UnaryCall | StreamCall,
  { method, guard, forOperators }: ServedMethod,
  parts: {
    run(request: Message, context: GrpcContext): Promise<void>;
    fail(status: StatusObject): void;
  },
): Promise<void> {
  const { context, received, unfollow } = followCaller(call);
  const leave = guard.enter();
  try {
    guard.admit(method);
    if (forOperators && !guard.isOperator(call.metadata)) throw notAnOperator();
    await parts.run(await received, context);
  } catch (error) {
    const failure = isOver(context)
      ? callerLeftError()
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
  context: GrpcContext,
): Promise<void> {
  const changed = createSignal();
  for (const event of ["drain", "close", "data"]) call.on(event, changed.notify);
  for await (const message of messages) {
    const hasRoom = call.write(create(method.output, message));
    if (!hasRoom && !isOver(context)) await changed.wait();
    if (isOver(context)) return;
  }
}

/** What the handler of a gRPC call of its own receives. */
class GrpcContext extends Cancellation implements CallContext {
  readonly trace: TraceHeaders | undefined;

  constructor(metadata: Metadata) {
    super();
    this.trace = readTraceHeaders((name) => metadata.get(name)[0]?.toString());
  }
}

/** Returns whether the caller waits no longer. */
function isOver({ hasLeft, isAborted }: GrpcContext): boolean {
  return hasLeft || isAborted;
}

/** A cancellation this close to the deadline is the deadline's: it passes a little earlier at the caller. */
const deadlineMarginMs = 1_000;

/**
 * Reads the request of a call, and watches its caller, which sends a second message when it leaves. grpc-js
 * emits `cancelled` when the deadline passes, and when the caller fails, stops or disconnects.
 */
function followCaller(call: UnaryCall | StreamCall) {
  const context = new GrpcContext(call.metadata);
  const request = Promise.withResolvers<Message>();
  // It is not awaited where the call is refused.
  request.promise.catch(() => {});
  let isRead = false;
  const onMessage = (message: Message) => {
    if (isRead) context.leave();
    isRead = true;
    request.resolve(message);
  };
  const onEnd = () => request.reject(new PeerError("unavailable", "the call has no request"));
  const onCancelled = () => {
    const leftMs = Number(call.getDeadline()) - Date.now();
    if (leftMs < deadlineMarginMs) context.abort(deadlineError(timeoutMs));
    else context.lose();
    onEnd();
  };
  const timeoutMs = Number(call.getDeadline()) - Date.now();
  if (call.cancelled) onCancelled();
  call.once("cancelled", onCancelled);
  call.on("data", onMessage);
  call.once("end", onEnd);
  return {
    context,
    received: request.promise,
    unfollow() {
      call.removeListener("cancelled", onCancelled);
      call.removeListener("data", onMessage);
    },
  };
}
