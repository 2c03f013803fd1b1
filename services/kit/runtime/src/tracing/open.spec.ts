import { describe, expect, it } from "vitest";
import { openTracer } from "./open.ts";

const open = (env: Record<string, string>) => openTracer(env, "spec", () => {});

describe("a tracer", () => {
  it.each([{}, { OTEL_EXPORTER_OTLP_ENDPOINT: "" }])("is none with %o", async (env) => {
    expect(await open(env)).toBeUndefined();
  });

  it.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://localhost"],
    ["OTEL_TRACES_SAMPLER_ARG", "some"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
    ["OTEL_TRACES_SAMPLER_ARG", "-1"],
  ])("is not started with %s=%s", async (name, value) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318", [name]: value };
    await expect(open(env)).rejects.toThrow(`${name}: `);
  });

  it("keeps the share of traces that it is told to, and those that a client keeps", async () => {
    const tracer = await open({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_TRACES_SAMPLER_ARG: "0",
    });
    const isKept = (from?: string) =>
      tracer
        ?.resume("one", "server", {}, from === undefined ? undefined : { traceparent: from })
        .headers.traceparent.endsWith("-01");
    expect(isKept()).toBe(false);
    expect(isKept(`00-${"a".repeat(32)}-${"b".repeat(16)}-01`)).toBe(true);
    await tracer?.stop(100);
  });
});
