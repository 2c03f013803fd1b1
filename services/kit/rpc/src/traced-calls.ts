import type { DescMethod } from "@bufbuild/protobuf";
import { traced, tracedItems } from "@tollgate/core/tracing/traced";
import type { Tracer } from "@tollgate/core/tracing/tracer";
import type { Transport } from "./client.ts";
import type { AnyHandler, CallContext, Fields, ServiceBinding } from "./implementation.ts";
import { nameOf } from "./method-name.ts";

/** How a call travels, as its spans tell it. */
export type RpcSystem = "grpc" | "in_process";

/** The transport, with a span for each call of a request. What no request asked for has none. */
export function traceTransport(transport: Transport, tracer: Tracer, system: RpcSystem): Transport {
  const start = (method: DescMethod) =>
    tracer.start(nameOf(method), "client", attributesOf(method, system));
  return {
    unary(method, request, options) {
      if (tracer.current() === undefined) return transport.unary(method, request, options);
      const span = start(method);
      const call = { ...options, trace: span.headers };
      return traced(tracer, span, () => transport.unary(method, request, call));
    },
    serverStream(method, request, options) {
      if (tracer.current() === undefined) return transport.serverStream(method, request, options);
      return tracedItems(
        tracer,
        () => start(method),
        ({ headers }) => transport.serverStream(method, request, { ...options, trace: headers }),
      );
    },
  };
}

/** The offer, with a span for each call that comes with a trace. */
export function traceOffer(
  { service, methods }: ServiceBinding,
  tracer: Tracer,
  system: RpcSystem,
): ServiceBinding {
  const all = new Map(methods);
  for (const method of service.methods) {
    const handler = methods.get(method.name);
    if (handler !== undefined) all.set(method.name, traceHandler(method, handler, tracer, system));
  }
  return { service, methods: all };
}

function traceHandler(
  method: DescMethod,
  handler: AnyHandler,
  tracer: Tracer,
  system: RpcSystem,
): AnyHandler {
  const attributes = attributesOf(method, system);
  return (request: never, context: CallContext) => {
    const { trace } = context;
    if (trace === undefined) return handler(request, context);
    const start = () => tracer.resume(nameOf(method), "server", attributes, trace);
    const answer = () => handler(request, context);
    return method.methodKind === "server_streaming"
      ? tracedItems(tracer, start, answer as () => AsyncIterable<Fields>)
      : traced(tracer, start(), answer as () => Promise<Fields>);
  };
}

function attributesOf(method: DescMethod, system: RpcSystem) {
  return { "rpc.system.name": system, "rpc.method": nameOf(method) };
}
