import { trace } from "@opentelemetry/api";
import { headersOfSpan, isTracing, readTraceHeaders, traceContextOf } from "@tollgate/core/tracing";
import { describe, expect, it } from "vitest";
import { startTracing } from "./start.ts";

const start = (env: Record<string, string>) => startTracing(env, "spec", () => {});

describe("tracing", () => {
  it.each([{}, { OTEL_EXPORTER_OTLP_ENDPOINT: "" }])("is off with %o", async (env) => {
    expect(await start(env)).toBeUndefined();
    expect(isTracing()).toBe(false);
  });

  it.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://localhost"],
    ["OTEL_TRACES_SAMPLER_ARG", "some"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
    ["OTEL_TRACES_SAMPLER_ARG", "-1"],
  ])("does not start with %s=%s", async (name, value) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318", [name]: value };
    await expect(start(env)).rejects.toThrow(`${name}: `);
  });

  it("samples the share that is set, and the traces that a client samples", async () => {
    const tracing = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_TRACES_SAMPLER_ARG: "0",
    });
    expect(isTracing()).toBe(true);
    // The tracer of all services uses the first provider of its process, which may be another test's.
    const tracer = trace.getTracer("spec");
    const isSampled = (traceparent?: string) => {
      const from = readTraceHeaders((name) => (name === "traceparent" ? traceparent : undefined));
      const span = tracer.startSpan("one", {}, traceContextOf(from));
      return headersOfSpan(span).traceparent?.endsWith("-01");
    };
    expect(isSampled()).toBe(false);
    expect(isSampled(`00-${"a".repeat(32)}-${"b".repeat(16)}-01`)).toBe(true);
    await tracing?.stop(100);
  });
});
