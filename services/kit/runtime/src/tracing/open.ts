import { type Environment, readSettings } from "@tollgate/core/config";
import type { Tracer } from "@tollgate/core/tracing/tracer";
import { z } from "zod";

/**
 * The tracer that sends to `OTEL_EXPORTER_OTLP_ENDPOINT`, or undefined where that is not set: then
 * nothing of OpenTelemetry's SDK is loaded. `onFailure` is told why spans could not be sent.
 */
export async function openTracer(
  env: Environment,
  serviceName: string,
  onFailure: (reason: string) => void,
): Promise<Tracer | undefined> {
  const settings = readSettings(schema, env);
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const { createOtlpTracer } = await import("./otlp.ts");
  return createOtlpTracer({
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    serviceName: settings.OTEL_SERVICE_NAME ?? serviceName,
    share: settings.OTEL_TRACES_SAMPLER_ARG,
    onFailure,
  });
}

const schema = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  /** The share of traces that are kept, of those that begin here. */
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .transform(Number)
    .refine((share) => share >= 0 && share <= 1, "must be a number from 0 to 1")
    .default(1),
});
