interface Requests {
  name: string;
  clients: number;
  /** The size of the prompt. */
  promptBytes: number;
  /** By default, `bench`. */
  model?: string;
}

/** A workload of requests with JSON responses. */
export interface JsonWorkload extends Requests {
  kind: "json";
  /** The provider's delay. */
  providerMs: number;
}

/** A workload of concurrent streams with `chunks` chunks each. */
export interface StreamWorkload extends Requests {
  kind: "sse";
  chunks: number;
  gapMs: number;
}

export type Workload = JsonWorkload | StreamWorkload;

const sentence = "The quick brown fox jumps over the lazy dog. ";

/**
 * Returns the request body, which is the same for every subject. Only `bench` is sent the commands of
 * the simulator: other models have them in the catalog.
 */
export function bodyOf(workload: Workload): string {
  const { kind, promptBytes, model = "bench" } = workload;
  const content = sentence.repeat(Math.ceil(promptBytes / sentence.length)).slice(0, promptBytes);
  const messages = [{ role: "user", content }];
  if (model !== "bench") return JSON.stringify({ model, stream: kind === "sse", messages });
  if (kind === "sse") {
    const simulate = `chunks=${workload.chunks}&gap_ms=${workload.gapMs}`;
    return JSON.stringify({ model, stream: true, metadata: { simulate }, messages });
  }
  const { providerMs } = workload;
  const metadata = providerMs === 0 ? {} : { metadata: { simulate: `delay_ms=${providerMs}` } };
  return JSON.stringify({ model, ...metadata, messages });
}

export const bodySizes = { "1 KB": 1_000, "100 KB": 100_000 } as const;

/**
 * `saturated` measures throughput and CPU. The latency that a gateway adds is measured where
 * nothing queues: with one client, and with 64 clients of a slow provider.
 */
export const jsonWorkloads: readonly JsonWorkload[] = (["1 KB", "100 KB"] as const).flatMap(
  (size) => {
    const about = { kind: "json", promptBytes: bodySizes[size] } as const;
    return [
      { ...about, name: `${size} saturated`, clients: 64, providerMs: 0 },
      { ...about, name: `${size} single`, clients: 1, providerMs: 0 },
      { ...about, name: `${size} paced`, clients: 64, providerMs: 100 },
    ];
  },
);

export const streamCounts = [1, 64, 512] as const;

export const streamWorkloads: readonly StreamWorkload[] = streamCounts.map((clients) => ({
  kind: "sse",
  name: `${clients} streams`,
  clients,
  promptBytes: bodySizes["1 KB"],
  chunks: 50,
  gapMs: 20,
}));

/**
 * Returns a workload by its name, for providers of a kind. Throws an Error that lists all names.
 */
export function workloadNamed(name: string, kind = "openai"): Workload {
  const all = [...jsonWorkloads, ...streamWorkloads];
  const found = all.find((one) => one.name === name);
  if (found !== undefined) {
    if (kind === "openai") return found;
    return { ...found, model: `bench-${kind}${found.kind === "sse" ? "-stream" : ""}` };
  }
  throw new Error(`--workload takes ${all.map((one) => one.name).join(", ")}, not ${name}`);
}
