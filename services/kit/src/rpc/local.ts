import type { DescMethod, Message } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { PeerError } from "../errors.ts";
import type { Log } from "../log.ts";
import { outgoingError } from "./boundary.ts";
import type { Transport } from "./client.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import type { AnyHandler, CallContext, CallOptions, Fields, Offer } from "./implementation.ts";
import { defaultTimeoutMs } from "./implementation.ts";

export interface LocalTransport extends Transport {
  add(offer: Offer): void;
}

/**
 * Calls between services that live in one process: the same interface, deadlines, cancellation
 * and errors as over gRPC, without the encoding. Messages are handed over, not copied, so neither
 * side changes one after it was sent.
 */
export function createLocalTransport(log: Log): LocalTransport {
  const handlers = new Map<DescMethod, AnyHandler>();

  function handlerOf(method: DescMethod): AnyHandler {
    const handler = handlers.get(method);
    if (handler === undefined) throw new PeerError("unavailable", `${nameOf(method)} is not up`);
    return handler;
  }

  return {
    add({ service, methods }) {
      for (const method of service.methods) {
        const handler = methods.get(method.name);
        if (handler !== undefined) handlers.set(method, handler);
      }
    },

    async unary(method, request, options) {
      const handler = handlerOf(method);
      refuseGoneCaller(options);
      const deadline = startDeadline(options.timeoutMs ?? defaultTimeoutMs, options.signal);
      try {
        const answer = handler(request as never, contextOf(deadline, options)) as Promise<Fields>;
        return create(method.output, await deadline.within(answer));
      } catch (error) {
        throw deadline.ended ?? outgoingError(error, nameOf(method), log);
      } finally {
        deadline.clear();
      }
    },

    serverStream: (method, request, options) =>
      localStream(method, request, options, handlerOf, log),
  };
}

async function* localStream(
  method: DescMethod,
  request: Message,
  options: CallOptions,
  handlerOf: (method: DescMethod) => AnyHandler,
  log: Log,
): AsyncGenerator<Message> {
  const handler = handlerOf(method);
  refuseGoneCaller(options);
  const deadline = startDeadline(options.timeoutMs ?? defaultTimeoutMs, options.signal);
  const answer = handler(request as never, contextOf(deadline, options)) as AsyncIterable<Fields>;
  const messages = answer[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const next = await deadline.within(messages.next());
      if (deadline.ended !== undefined) throw deadline.ended;
      ended = next.done === true;
      if (ended) return;
      yield create(method.output, next.value);
    }
  } catch (error) {
    throw deadline.ended ?? outgoingError(error, nameOf(method), log);
  } finally {
    // A handler that does not heed its signal is not waited for.
    const left = ended ? undefined : messages.return?.();
    left?.catch(() => {});
    if (deadline.ended === undefined) await left;
    deadline.clear();
  }
}

function contextOf(deadline: Deadline, { trace }: CallOptions): CallContext {
  return {
    get signal() {
      return deadline.signal;
    },
    trace,
  };
}

function refuseGoneCaller({ signal }: CallOptions): void {
  if (signal?.aborted) throw new PeerError("cancelled", "the caller went away");
}

function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}
