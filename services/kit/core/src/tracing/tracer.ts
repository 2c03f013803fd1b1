/**
 * Traces, as the services see them. Where no address for traces is set there is no tracer, and the
 * parts that it would follow are put together without it: an untraced request meets no trace of it.
 */
export interface Tracer {
  /** Begins a span inside the current one, or a trace where there is none. */
  start(name: string, kind: SpanKind, attributes: Attributes): Span;
  /** Begins a span that goes on where `from` comes from; a trace, where that names none. */
  resume(
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    from: TraceHeaders | undefined,
  ): Span;
  /** Makes a span the current one for `work`, and for all that this awaits. */
  within<T>(span: Span, work: () => T): T;
  current(): Span | undefined;
  /** Sends the spans that are still here, as far as that goes within `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface Span {
  readonly kind: SpanKind;
  readonly traceId: string;
  /** What travels with a call, so that whoever takes it goes on from here. */
  readonly headers: TraceHeaders;
  rename(name: string): void;
  /** Never a prompt, an answer, a key, or an error's own words, which may quote any of them. */
  set(attributes: Attributes): void;
  mark(event: string): void;
  /** Marks it as failed, for a reason that is one of few. */
  fail(type: string): void;
  end(): void;
}

export type SpanKind = "server" | "client" | "producer" | "consumer" | "internal";

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** W3C trace context, as it stands in HTTP headers, gRPC metadata and message headers. */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Reads them from anything that has headers by their names. */
export function traceHeaders(
  read: (name: "traceparent" | "tracestate") => string | undefined,
): TraceHeaders | undefined {
  const traceparent = read("traceparent");
  if (traceparent === undefined || traceparent === "") return undefined;
  const tracestate = read("tracestate");
  return tracestate === undefined || tracestate === ""
    ? { traceparent }
    : { traceparent, tracestate };
}
