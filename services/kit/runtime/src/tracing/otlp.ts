import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { setGlobalErrorHandler, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type {
  Attributes,
  Span,
  SpanKind,
  TraceHeaders,
  Tracer,
} from "@tollgate/core/tracing/tracer";

export interface OtlpOptions {
  url: string;
  serviceName: string;
  /**
   * Of traces that begin here, how many are kept: 0 to 1. A trace that goes on is kept as it was.
   */
  share: number;
  onFailure(reason: string): void;
}

/** The collector may be away for hours, and every batch of spans would say so. */
const failureEveryMs = 60_000;

const kinds: Readonly<Record<SpanKind, OtelSpanKind>> = {
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  producer: OtelSpanKind.PRODUCER,
  consumer: OtelSpanKind.CONSUMER,
  internal: OtelSpanKind.INTERNAL,
};

const propagator = new W3CTraceContextPropagator();

/**
 * A tracer over OpenTelemetry's SDK, which sends spans in batches by OTLP over HTTP, as JSON. This
 * file is the only one that knows the SDK.
 */
export function createOtlpTracer(options: OtlpOptions): Tracer {
  reportFailures(options.onFailure);
  const provider = new TracerProvider({
    resource: resourceOf(options.serviceName),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.share) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: options.url }) }),
    ],
  });
  const tracer = provider.getTracer("tollgate");
  // Routes, pipeline and stores know nothing of spans, so the current one comes to them unseen. The
  // store is made with the tracer: without one, no request pays for it.
  const storage = new AsyncLocalStorage<StartedSpan>();

  function begin(
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    parent = ROOT_CONTEXT,
  ): Span {
    const started = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent);
    return new StartedSpan(started, kind);
  }

  return {
    start(name, kind, attributes) {
      const current = storage.getStore();
      return begin(name, kind, attributes, current && trace.setSpan(ROOT_CONTEXT, current.inner));
    },
    resume: (name, kind, attributes, from) =>
      begin(
        name,
        kind,
        attributes,
        propagator.extract(ROOT_CONTEXT, from ?? {}, defaultTextMapGetter),
      ),
    // There are no other spans than those that are begun above.
    within: (span, work) => storage.run(span as StartedSpan, work),
    current: () => storage.getStore(),
    async stop(graceMs) {
      const late = sleep(graceMs, undefined, { ref: false });
      await Promise.race([provider.shutdown().catch(() => {}), late]);
    },
  };
}

class StartedSpan implements Span {
  readonly inner: OtelSpan;
  readonly kind: SpanKind;

  constructor(inner: OtelSpan, kind: SpanKind) {
    this.inner = inner;
    this.kind = kind;
  }

  get traceId(): string {
    return this.inner.spanContext().traceId;
  }

  get headers(): TraceHeaders {
    const carrier = { traceparent: "" };
    propagator.inject(trace.setSpan(ROOT_CONTEXT, this.inner), carrier, defaultTextMapSetter);
    return carrier;
  }

  rename(name: string): void {
    this.inner.updateName(name);
  }

  set(attributes: Attributes): void {
    this.inner.setAttributes(attributes);
  }

  mark(event: string): void {
    this.inner.addEvent(event);
  }

  fail(type: string): void {
    this.inner.setAttribute("error.type", type);
    this.inner.setStatus({ code: SpanStatusCode.ERROR, message: type });
  }

  end(): void {
    this.inner.end();
  }
}

function resourceOf(serviceName: string) {
  return defaultResource()
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
    .merge(
      resourceFromAttributes({
        "service.name": serviceName,
        "service.instance.id": randomUUID(),
      }),
    );
}

function reportFailures(onFailure: (reason: string) => void): void {
  let quietUntil = 0;
  setGlobalErrorHandler((error) => {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + failureEveryMs;
    onFailure(typeof error === "string" ? error : (error.message ?? "unknown"));
  });
}
