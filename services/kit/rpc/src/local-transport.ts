import type { DescMethod, Message } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { PeerError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { refuseGoneCaller } from "./cancelled-caller.ts";
import type { Transport } from "./client.ts";
import type { AnyHandler, CallOptions, Fields, Offer } from "./implementation.ts";
import { BoundedCall } from "./local-call.ts";
import { nameOf } from "./method-name.ts";
import { outgoingError } from "./outgoing-error.ts";

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
      const call = new BoundedCall(options);
      try {
        const answer = handler(request as never, call) as Promise<Fields>;
        return create(method.output, await call.within(answer));
      } catch (error) {
        throw call.ended ?? outgoingError(error, nameOf(method), log);
      } finally {
        call.clear();
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
  const call = new BoundedCall(options);
  const answer = handler(request as never, call) as AsyncIterable<Fields>;
  const messages = answer[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const next = await call.within(messages.next());
      if (call.ended !== undefined) throw call.ended;
      ended = next.done === true;
      if (ended) return;
      yield create(method.output, next.value);
    }
  } catch (error) {
    throw call.ended ?? outgoingError(error, nameOf(method), log);
  } finally {
    // A handler that does not heed its signal is not waited for.
    const left = ended ? undefined : messages.return?.();
    left?.catch(() => {});
    if (call.ended === undefined) await left;
    call.clear();
  }
}
