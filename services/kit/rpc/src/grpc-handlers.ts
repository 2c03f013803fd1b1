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
import { Cancellation, callerLeftError } from "@tollgate/core/cancellation";
import { readTraceHeaders, type TraceHeaders } from "@tollgate/core/tracing";
import { type CallGuard, notAnOperator } from "./call-guard.ts";
import { deadlineError } from "./cancellation.ts";
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
      async run(context) {
        const fields = await (handler(call.request as never, context) as Promise<Fields>);
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
      async run(context) {
        const messages = handler(call.request as never, context) as AsyncIterable<Fields>;
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
  parts: { run(context: GrpcContext): Promise<void>; fail(status: StatusObject): void },
): Promise<void> {
  const { context, unfollow } = followCaller(call);
  const leave = guard.enter();
  try {
    guard.admit(method);
    if (forOperators && !guard.isOperator(call.metadata)) throw notAnOperator();
    await parts.run(context);
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
  for await (const message of messages) {
    const hasRoom = call.write(create(method.output, message));
    const { signal } = context;
    if (!hasRoom && !isOver(context)) await once(call, "drain", { signal });
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

/**
 * Follows the caller of a call. grpc-js emits `cancelled` when the caller cancels or disconnects, and when
 * the deadline passes. The cause is not known here, so the caller counts as left. An attempt that continues
 * ends at the deadline.
 */
function followCaller(call: UnaryCall | StreamCall) {
  const context = new GrpcContext(call.metadata);
  let timer: NodeJS.Timeout | undefined;
  const leave = () => {
    const leftMs = Math.max(0, Number(call.getDeadline()) - Date.now());
    timer = setTimeout(expire, Math.min(leftMs, maxTimerMs), context, leftMs);
    timer.unref();
    context.leave();
  };
  if (call.cancelled) leave();
  call.once("cancelled", leave);
  return {
    context,
    unfollow() {
      clearTimeout(timer);
      call.removeListener("cancelled", leave);
    },
  };
}

/** The longest that a timer of Node runs. A call without a deadline has an infinite one. */
const maxTimerMs = 2 ** 31 - 1;

function expire(context: GrpcContext, timeoutMs: number): void {
  context.abort(deadlineError(timeoutMs));
}
