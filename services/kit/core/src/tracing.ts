import {
  type Context,
  context,
  isSpanContextValid,
  ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { GatewayError, isClassified } from "./errors.ts";

/**
 * The tracer of all services. It is OpenTelemetry's no-op tracer until the program registers an SDK
 * (`@tollgate/runtime/tracing/start`): code that creates spans need not check whether tracing
 * is on.
 *
 * A span never carries a key, or the message of an error, which may quote one; and no prompt or response, except
 * for those of accounts that store them where the edge is told to trace them.
 */
export const tracer = trace.getTracer("tollgate");

/** Returns whether the program has registered an SDK, so that spans are sent somewhere. */
export function isTracing(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || hasDelegate(provider);
}

function hasDelegate(provider: ProxyTracerProvider): boolean {
  return provider.getDelegateTracer("tollgate") !== undefined;
}

/** W3C trace context, as HTTP headers, gRPC metadata and broker messages carry it. */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Reads trace context from anything that has headers. Returns undefined where there is none. */
export function readTraceHeaders(
  read: (name: "traceparent" | "tracestate") => string | undefined,
): TraceHeaders | undefined {
  const traceparent = read("traceparent");
  if (traceparent === undefined || traceparent === "") return undefined;
  const tracestate = read("tracestate");
  return tracestate === undefined || tracestate === ""
    ? { traceparent }
    : { traceparent, tracestate };
}

/** Returns the context in which a span continues the trace of `headers`, or starts a new trace. */
export function traceContextOf(headers: TraceHeaders | undefined): Context {
  return headers === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, headers);
}

/**
 * Calls `start` outside of any trace. A timer belongs to the trace in which it was started, which is
 * wrong for one that a request starts for others as well.
 */
export function outsideTraces<T>(start: () => T): T {
  return context.with(ROOT_CONTEXT, start);
}

/**
 * Returns the headers with which a call continues the trace of `span`; none while traces are off.
 */
export function headersOfSpan(span: Span): Partial<TraceHeaders> {
  const headers: Partial<TraceHeaders> = {};
  propagation.inject(trace.setSpan(ROOT_CONTEXT, span), headers);
  return headers;
}

/** Returns whether a span belongs to a trace. While traces are off, none does. */
export function isInTrace(span: Span): boolean {
  return isSpanContextValid(span.spanContext());
}

/**
 * Runs `work` with `span` as the active span, also for everything that `work` awaits. While traces
 * are off, it creates no context: V8 would keep one, and what it reaches, until it marks the whole
 * heap.
 */
export function withSpan<T>(span: Span, work: () => T): T {
  if (!isInTrace(span)) return work();
  return context.with(trace.setSpan(context.active(), span), work);
}

/** Runs `work` inside `span`. Records the error that `work` throws, and ends the span. */
export async function traced<T>(
  span: Span,
  work: () => Promise<T>,
  record: RecordFailure = recordFailure,
): Promise<T> {
  try {
    return await withSpan(span, work);
  } catch (error) {
    record(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Yields the items of `open` inside a span that lasts from the first request for an item to the
 * last. A generator runs in the context of the caller of `next`, so each call of `next` is made
 * inside the span.
 */
export async function* tracedItems<Item>(
  start: () => Span,
  open: (span: Span) => AsyncIterable<Item>,
  record: RecordFailure = recordFailure,
): AsyncGenerator<Item> {
  const span = start();
  let isAbandoned = true;
  let items: AsyncIterator<Item> | undefined;
  try {
    const source = withSpan(span, () => open(span)[Symbol.asyncIterator]());
    items = source;
    for (;;) {
      const next = await withSpan(span, () => source.next());
      isAbandoned = next.done !== true;
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    isAbandoned = false;
    record(span, error);
    throw error;
  } finally {
    if (isAbandoned) {
      span.setAttribute("error.type", "cancelled");
      await withSpan(span, async () => items?.return?.());
    }
    span.end();
  }
}

type RecordFailure = (span: Span, error: unknown) => void;

/** Marks a span as failed by the type of the error alone. */
export function recordFailure(span: Span, error: unknown): void {
  failSpan(span, errorClassOf(error));
}

/** Does the same for the span of a server, except for an error that refuses the request. */
export function recordServerFailure(span: Span, error: unknown): void {
  const isRefusal = error instanceof GatewayError && error.status < 500;
  if (isRefusal) span.setAttribute("error.type", error.errorType);
  else recordFailure(span, error);
}

/** Marks a span as failed. `type` is one of few values. */
export function failSpan(span: Span, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: type });
}

/** Returns the gateway's code for an error, or a provider's status; never the error's message. */
export function errorClassOf(error: unknown): string {
  if (isClassified(error)) return error.errorType;
  return error instanceof Error ? error.name : "unknown";
}
