import type { DescMethod, Message } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { PeerError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { throwIfCancelled } from "./cancellation.ts";
import type { Transport } from "./client.ts";
import type { AnyHandler, CallOptions, Fields, ServiceBinding } from "./implementation.ts";
import { LocalCall } from "./local-call.ts";
import { nameOf } from "./method-name.ts";
import { outgoingError } from "./outgoing-error.ts";

export interface LocalTransport extends Transport {
  /** Makes a service of this process callable. */
  add(binding: ServiceBinding): void;
}

/**
 * Creates a transport between services of one process, with the same deadlines, cancellation and
 * errors as over gRPC. Messages are passed by reference, so that neither side may change one after
 * sending it.
 */
export function createLocalTransport(log: Log): LocalTransport {
  const handlers = new Map<DescMethod, AnyHandler>();

  function handlerOf(method: DescMethod): AnyHandler {
    const handler = handlers.get(method);
    if (handler === undefined) {
      throw new PeerError("unavailable", `${nameOf(method)} is not served in this process`);
    }
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
      throwIfCancelled(options);
      const call = new LocalCall(options);
      let response: Promise<Fields> | undefined;
      try {
        response = handler(request as never, call) as Promise<Fields>;
        return create(method.output, await call.race(response));
      } catch (error) {
        throw call.failure ?? outgoingError(error, nameOf(method), log);
      } finally {
        call.disposeAfter(response);
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
  throwIfCancelled(options);
  const call = new LocalCall(options);
  const response = handler(request as never, call) as AsyncIterable<Fields>;
  const messages = response[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const next = await call.race(messages.next());
      if (call.failure !== undefined) throw call.failure;
      isDone = next.done === true;
      if (isDone) return;
      yield create(method.output, next.value);
    }
  } catch (error) {
    throw call.failure ?? outgoingError(error, nameOf(method), log);
  } finally {
    const returned = isDone ? undefined : messages.return?.();
    returned?.catch(() => {});
    // The handler of a call may ignore its signal or run on, so a caller that left does not wait for it.
    if (call.failure === undefined) await returned;
    call.disposeAfter(returned);
  }
}
