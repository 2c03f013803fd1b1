import {
  create,
  type DescMethod,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { PeerError } from "@tollgate/core/errors";
import { readTraceHeaders } from "@tollgate/core/tracing";
import type { AnswerFrameSchema, EndSchema, Open } from "@tollgate/proto/tollgate/v1/trunk";
import type { Gate } from "./call-guard.ts";
import { callerGone } from "./cancelled-caller.ts";
import { endOf } from "./error-detail.ts";
import type { AnyHandler, Fields, Offer } from "./implementation.ts";
import { nameOf } from "./method-name.ts";
import { pieceBytes, weightOf, windowBytes } from "./mux.ts";
import { outgoingError } from "./outgoing-error.ts";

type Frame = MessageInitShape<typeof AnswerFrameSchema>;

/** A call on a trunk, as its callee sees it. */
export interface AnswerableCall {
  signal: AbortSignal;
  /** Sends a message once there is credit for it, and with the `last` the end. */
  send(message: Uint8Array, isLast: boolean): Promise<void>;
  end(end: MessageInitShape<typeof EndSchema>): void;
  grant(credit: number): void;
  /** Its caller wants no more of it, or has gone. */
  cancel(): void;
}

export function createAnswerableCall(
  id: number,
  send: (frame: Frame, payload?: Uint8Array) => void,
): AnswerableCall {
  const controller = new AbortController();
  const { signal } = controller;
  const window = createWindow();
  return {
    signal,
    async send(message, isLast) {
      for (let from = 0; from === 0 || from < message.length; from += pieceBytes) {
        if (window.isFull()) await window.opened();
        if (signal.aborted) return;
        const piece = message.subarray(from, from + pieceBytes);
        const more = from + pieceBytes < message.length;
        window.take(weightOf(piece));
        const end = isLast && !more ? { end: {} } : {};
        send({ call: id, more, ...end }, piece);
      }
    },
    end(end) {
      if (!signal.aborted) send({ call: id, end });
    },
    grant: window.widen,
    cancel() {
      controller.abort(callerGone());
      window.widen(windowBytes);
    },
  };
}

/** How much of an answer may be sent, for one sender. */
function createWindow() {
  let free = windowBytes;
  let wake = () => {};
  return {
    isFull: () => free <= 0,
    opened: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      }),
    take(weight: number) {
      free -= weight;
    },
    widen(credit: number) {
      free += credit;
      if (free > 0) wake();
    },
  };
}

/** Has a call answered. Never raises: what fails is told to the caller. */
export type Answerer = (open: Open, request: Uint8Array, call: AnswerableCall) => Promise<void>;

/** Answers calls of what is offered. */
export function createAnswerer(offers: readonly Offer[], gate: Gate): Answerer {
  const served = new Map(offers.flatMap(methodsOf));
  return async ({ method: name, timeoutMs, ...trace }, request, call) => {
    const leave = gate.enter();
    // Its caller keeps the time, but may have stopped, or be cut off.
    const clock = setTimeout(call.cancel, timeoutMs);
    clock.unref();
    try {
      gate.admitCall();
      const one = served.get(name);
      if (one === undefined) throw new PeerError("unavailable", `${name} is not served here`);
      const { method, handler } = one;
      const context = { signal: call.signal, trace: readTraceHeaders((header) => trace[header]) };
      const encode = (fields: Fields) => toBinary(method.output, create(method.output, fields));
      const answer = handler(fromBinary(method.input, request) as never, context);
      if (method.methodKind === "unary") {
        await call.send(encode(await (answer as Promise<Fields>)), true);
        return;
      }
      for await (const message of answer as AsyncIterable<Fields>) {
        await call.send(encode(message), false);
        if (call.signal.aborted) return;
      }
      call.end({});
    } catch (error) {
      // What a call that was given up raises is no failure, and goes to nobody.
      if (!call.signal.aborted) call.end(endOf(outgoingError(error, name, gate.log)));
    } finally {
      clearTimeout(clock);
      leave();
    }
  };
}

function methodsOf({ service, methods }: Offer) {
  return service.methods.map((method): [string, { method: DescMethod; handler: AnyHandler }] => [
    nameOf(method),
    { method, handler: methods.get(method.name) as AnyHandler },
  ]);
}
