import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
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
import type { Tracing } from "./tracing.ts";

export interface OtlpOptions {
  url: string;
  serviceName: string;
  /**
   * The share of the traces that start here which is sent, from 0 to 1. A trace that was started
   * elsewhere is sampled as its headers say.
   */
  share: number;
  onFailure(reason: string): void;
}

/** A collector may be down for hours; without this, each batch of spans would log a line. */
const failureIntervalMs = 60_000;

/**
 * Registers OpenTelemetry's SDK with its API, as the process's only provider. Spans are sent in
 * batches by OTLP over HTTP, as JSON. This is the only file that knows the SDK.
 */
export function registerOtlp(options: OtlpOptions): Tracing {
  logFailures(options.onFailure);
  const provider = new TracerProvider({
    resource: resourceOf(options.serviceName),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.share) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: options.url }) }),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return {
    async stop(graceMs) {
      const timeout = sleep(graceMs, undefined, { ref: false });
      await Promise.race([provider.shutdown().catch(() => {}), timeout]);
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
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

function logFailures(onFailure: (reason: string) => void): void {
  let quietUntil = 0;
  setGlobalErrorHandler((error) => {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + failureIntervalMs;
    onFailure(typeof error === "string" ? error : (error.message ?? "unknown"));
  });
}
