import type { DescMethod } from "@bufbuild/protobuf";
import { SpanKind, trace } from "@opentelemetry/api";
import {
  headersOfSpan,
  recordServerFailure,
  type TraceHeaders,
  traceContextOf,
  traced,
  tracedItems,
  tracer,
} from "@tollgate/core/tracing";
import type { Transport } from "./client.ts";
import type { AnyHandler, CallContext, Fields, ServiceBinding } from "./implementation.ts";
import { nameOf } from "./method-name.ts";

/** How a call travels, as its spans name it. */
export type RpcSystem = "grpc" | "in_process";

/** Wraps a transport in a span for each call inside a trace. Calls outside of one have none. */
export function traceTransport(transport: Transport, system: RpcSystem): Transport {
  const start = (method: DescMethod) =>
    tracer.startSpan(nameOf(method), {
      kind: SpanKind.CLIENT,
      attributes: attributesOf(method, system),
    });
  return {
    unary(method, request, options) {
      if (trace.getActiveSpan() === undefined) return transport.unary(method, request, options);
      const span = start(method);
      const call = { ...options, trace: headersOfSpan(span) as TraceHeaders };
      return traced(span, () => transport.unary(method, request, call));
    },
    serverStream(method, request, options) {
      if (trace.getActiveSpan() === undefined) {
        return transport.serverStream(method, request, options);
      }
      return tracedItems(
        () => start(method),
        (span) => {
          const call = { ...options, trace: headersOfSpan(span) as TraceHeaders };
          return transport.serverStream(method, request, call);
        },
      );
    },
  };
}

/** Wraps the handlers of a service in a span for each call that carries a trace. */
export function traceBinding(binding: ServiceBinding, system: RpcSystem): ServiceBinding {
  const { service, methods } = binding;
  const all = new Map(methods);
  for (const method of service.methods) {
    const handler = methods.get(method.name);
    if (handler !== undefined) all.set(method.name, traceHandler(method, handler, system));
  }
  return { ...binding, methods: all };
}

function traceHandler(method: DescMethod, handler: AnyHandler, system: RpcSystem): AnyHandler {
  const options = { kind: SpanKind.SERVER, attributes: attributesOf(method, system) };
  return (request: never, context: CallContext) => {
    const { trace: headers } = context;
    if (headers === undefined) return handler(request, context);
    const start = () => tracer.startSpan(nameOf(method), options, traceContextOf(headers));
    const call = () => handler(request, context);
    return method.methodKind === "server_streaming"
      ? tracedItems(start, call as () => AsyncIterable<Fields>, recordServerFailure)
      : traced(start(), call as () => Promise<Fields>, recordServerFailure);
  };
}

function attributesOf(method: DescMethod, system: RpcSystem) {
  return { "rpc.system.name": system, "rpc.method": nameOf(method) };
}
