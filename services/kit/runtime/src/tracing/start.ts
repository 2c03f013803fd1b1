import { type Environment, readSettings } from "@tollgate/core/config";
import { z } from "zod";
import type { Tracing } from "./tracing.ts";

/**
 * Sends spans to `OTEL_EXPORTER_OTLP_ENDPOINT`. Returns undefined where that is not set: then nothing
 * of OpenTelemetry's SDK is loaded, and its API makes spans that do nothing. Calls `onFailure` with
 * the reason why spans could not be sent. Throws a StartError for a setting that is not valid.
 */
export async function startTracing(
  env: Environment,
  serviceName: string,
  onFailure: (reason: string) => void,
): Promise<Tracing | undefined> {
  const settings = readSettings(schema, env);
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const { registerOtlp } = await import("./otlp.ts");
  return registerOtlp({
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    serviceName: settings.OTEL_SERVICE_NAME ?? serviceName,
    share: settings.OTEL_TRACES_SAMPLER_ARG,
    onFailure,
  });
}

const schema = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  /** The share of the traces that start here which is sent, from 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .transform(Number)
    .refine((share) => share >= 0 && share <= 1, "must be a number from 0 to 1")
    .default(1),
});
