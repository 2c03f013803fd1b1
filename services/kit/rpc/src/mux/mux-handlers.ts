import { create, type DescMethod, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { Cancellation } from "@tollgate/core/cancellation";
import { PeerError } from "@tollgate/core/errors";
import { createSignal } from "@tollgate/core/signal";
import { readTraceHeaders, type TraceHeaders } from "@tollgate/core/tracing";
import type { EndSchema, Open, ResponseFrameSchema } from "@tollgate/proto/tollgate/v1/mux";
import { type CallGuard, notAnOperator } from "../call-guard.ts";
import { deadlineError } from "../cancellation.ts";
import { type EncodedMessage, encodeMessage, inOnePart } from "../encoded-message.ts";
import { toEnd } from "../error-detail.ts";
import type { AnyHandler, CallContext, Fields, ServiceBinding } from "../implementation.ts";
import { nameOf } from "../method-name.ts";
import { outgoingError } from "../outgoing-error.ts";
import { chunkBytes, windowBytes, windowCost } from "./mux.ts";

/**
 * Runs the handler of a call and sends its response, or its error. Never rejects. `isOperator`:
 * whether the caller presented the operators' secret.
 */
export type MuxHandler = (
  open: Open,
  request: Uint8Array,
  call: IncomingCall,
  isOperator: boolean,
) => Promise<void>;

export function createMuxHandler(
  bindings: readonly ServiceBinding[],
  guard: CallGuard,
): MuxHandler {
  const served = new Map(bindings.flatMap(methodsOf));
  return async ({ method: name, timeoutMs, ...trace }, request, call, isOperator) => {
    const leave = guard.enter();
    // The client runs a timer too, but it may have stopped or be cut off.
    const timer = setTimeout(expire, timeoutMs, call, timeoutMs);
    timer.unref();
    try {
      guard.admit();
      const { method, handler } = requireMethod(served, name, isOperator);
      const { context } = call;
      context.trace = readTraceHeaders((header) => trace[header]);
      const encode = (fields: Fields) =>
        inOnePart(encodeMessage(method.output, create(method.output, fields)));
      const response = handler(fromBinary(method.input, request) as never, context);
      if (method.methodKind === "unary") {
        await call.send(encode(await (response as Promise<Fields>)), true);
        return;
      }
      for await (const message of response as AsyncIterable<Fields>) {
        await call.send(encode(message), false);
        if (call.isOver()) return;
      }
      call.end({});
    } catch (error) {
      // The error of a cancelled call is no failure, and no caller waits for it.
      if (!call.isOver()) call.end(toEnd(outgoingError(error, name, guard.log)));
    } finally {
      clearTimeout(timer);
      leave();
    }
  };
}

function expire(call: IncomingCall, timeoutMs: number): void {
  call.abort(deadlineError(timeoutMs));
}

function requireMethod(
  served: ReadonlyMap<string, ServedMethod>,
  name: string,
  isOperator: boolean,
): ServedMethod {
  const found = served.get(name);
  if (found === undefined) throw new PeerError("unavailable", `${name} is not served here`);
  if (found.forOperators && !isOperator) throw notAnOperator();
  return found;
}

interface ServedMethod {
  method: DescMethod;
  handler: AnyHandler;
  /** Whether only operators may call it. */
  forOperators: boolean;
}

function methodsOf({ service, methods, operatorMethods }: ServiceBinding) {
  return service.methods.map((method): [string, ServedMethod] => {
    const handler = methods.get(method.name) as AnyHandler;
    return [nameOf(method), { method, handler, forOperators: operatorMethods.has(method.name) }];
  });
}

/** A call on a mux, as its server sees it. */
export interface IncomingCall {
  context: IncomingContext;
  /** Whether the caller waits no longer. */
  isOver(): boolean;
  /** Sends a message once the window has room, and ends the call after the last one. */
  send(message: Uint8Array, isLast: boolean): Promise<void>;
  end(end: MessageInitShape<typeof EndSchema>): void;
  /** Adds the client's credit to the window. */
  grant(credit: number): void;
  /** The caller leaves. Nothing more is sent. */
  leave(): void;
  /** The caller's process or connection fails, which ends the call unless its caller left before. */
  lose(): void;
  /** Ends the call. Nothing more is sent. */
  abort(reason: PeerError): void;
}

/** What the handler of a call on a mux receives. */
class IncomingContext extends Cancellation implements CallContext {
  trace: TraceHeaders | undefined;
}

export function createIncomingCall(
  id: number,
  send: (frame: MessageInitShape<typeof ResponseFrameSchema>, payload?: EncodedMessage) => void,
): IncomingCall {
  const context = new IncomingContext();
  const window = createWindow();
  const isOver = () => context.hasLeft || context.isAborted;
  return {
    context,
    isOver,
    async send(message, isLast) {
      for (let from = 0; from === 0 || from < message.length; from += chunkBytes) {
        if (window.isFull()) await window.reopened();
        if (isOver()) return;
        const chunk = message.subarray(from, from + chunkBytes);
        const more = from + chunkBytes < message.length;
        window.take(windowCost(chunk));
        const end = isLast && !more ? { end: {} } : {};
        send({ call: id, more, ...end }, { parts: [chunk], byteLength: chunk.length });
      }
    },
    end(end) {
      if (!isOver()) send({ call: id, end });
    },
    grant: window.widen,
    leave() {
      context.leave();
      window.widen(windowBytes);
    },
    lose() {
      context.lose();
      window.widen(windowBytes);
    },
    abort(reason) {
      context.abort(reason);
      window.widen(windowBytes);
    },
  };
}

/** Tracks how much of a response may still be sent. For one sender. */
function createWindow() {
  let freeBytes = windowBytes;
  const reopened = createSignal();
  return {
    isFull: () => freeBytes <= 0,
    reopened: () => reopened.wait(),
    take(cost: number) {
      freeBytes -= cost;
    },
    widen(credit: number) {
      freeBytes += credit;
      if (freeBytes > 0) reopened.notify();
    },
  };
}
