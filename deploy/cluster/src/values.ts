import { microUsdPerAudioSecond, models } from "./load/models.ts";
import type { ClusterTestOptions } from "./options.ts";

export type Values = { [name: string]: unknown };

/** Returns the values with which the chart is installed. */
export function valuesOf(options: ClusterTestOptions, ingressHost: string): Values {
  const { image, simulator, pullSecret, postgres, nats, ingress } = options;
  return {
    image: { ...image, pullSecrets: pullSecret === undefined ? [] : [{ name: pullSecret }] },
    dev: {
      postgres: { enabled: true, ...(postgres === undefined ? {} : { image: postgres }) },
      nats: { enabled: true, ...(nats === undefined ? {} : { image: nats }) },
      simulator: { enabled: true, image: simulator },
    },
    services: {
      defaults: { replicas: 2, resources: { requests: { cpu: "25m", memory: "128Mi" } } },
    },
    catalog: options.catalog === "file" ? { content: catalog } : { source: "database" },
    // An ingress controller may use the network of its node, whose addresses no selector matches.
    networkPolicy: { ingressFrom: [] },
    ...(ingress === undefined
      ? {}
      : { ingress: { enabled: true, className: ingress.className, host: ingressHost } }),
  };
}

/** Returns the values with those of `more`, in which an object is merged and anything else replaced. */
export function merged(values: Values, more: Values): Values {
  const result = { ...values };
  for (const [name, value] of Object.entries(more)) {
    const before = result[name];
    result[name] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return result;
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const chat = {
  route_type: "chat",
  context_tokens: 32_768,
  max_output_tokens: 4_096,
  pricing: { per: 1_000_000, input: "0.10", output: "0.40" },
};

const servedBy = (model: string, more = {}) => ({
  chain: [{ provider: "simulator", model, ...more }],
});

/** The catalog of the test. */
export const catalog = {
  providers: { simulator: { base_url_env: "TOLLGATE_SIMULATOR_URL", timeout_seconds: 60 } },
  models: [
    { alias: models.json, ...chat, ...servedBy("sim-small") },
    // Streams of five seconds. Proxies written in Go may cut off a response that begins before
    // they have finished the request (https://github.com/golang/go/issues/40747), which a
    // provider never does.
    { alias: models.stream, ...chat, ...servedBy("sim-small?delay_ms=200&chunks=100&gap_ms=50") },
    {
      alias: models.audio,
      route_type: "transcriptions",
      language: "auto",
      pricing: { per: 1, price: (microUsdPerAudioSecond / 1e6).toFixed(6) },
      ...servedBy("sim-transcribe", { stream_path: "/audio/stream" }),
    },
    {
      alias: models.images,
      route_type: "images",
      pricing: { per: 1, price: "0.0002" },
      ...servedBy("sim-image"),
    },
  ],
};
