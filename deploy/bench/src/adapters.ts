import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { cpuMs } from "./machine/cpu.ts";
import { median } from "./report/statistics.ts";
import { startTestbed } from "./subjects/testbed.ts";
import { startAll } from "./subjects/tollgate.ts";

/**
 * `npm run bench:adapters`: the CPU of the gateway for each chunk of a stream, by the kind of the
 * provider and the wire of the client, beside a provider of OpenAI's API whose chunks are forwarded.
 * Chunks arrive one by one. Streams of two lengths are compared, so that what a request costs besides
 * its chunks is left out.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    clients: { type: "string", default: "16" },
    chunks: { type: "string", default: "300" },
  },
});
const [rounds, clients, chunks] = [values.rounds, values.clients, values.chunks].map(Number) as [
  number,
  number,
  number,
];
const shortChunks = 20;
const gapMs = 4;

/** The kinds of providers, with a model of each. */
const models = {
  openai: { base: "/v1", model: "bench" },
  anthropic: { base: "/v1", model: "claude-sonnet-4-5" },
  google: { base: "/google/v1beta", model: "gemini-2.5-flash" },
  mistral: { base: "/mistral/v1", model: "mistral-large-4" },
  cohere: { base: "/cohere/v2", model: "command-a-03-2025" },
  bedrock: { base: "/bedrock", model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0" },
};
type Kind = keyof typeof models;

const wires = {
  "chat completions": (alias: string) => ({
    path: "/v1/chat/completions",
    body: { model: alias, stream: true, max_tokens: 4_000, messages: prompt },
  }),
  messages: (alias: string) => ({
    path: "/v1/messages",
    body: { model: alias, stream: true, max_tokens: 4_000, messages: prompt },
  }),
  responses: (alias: string) => ({
    path: "/v1/responses",
    body: { model: alias, stream: true, max_output_tokens: 4_000, input: prompt },
  }),
};
const prompt = [{ role: "user", content: "Hello" }];

/** The first one is what the others are compared with. */
const contenders: readonly (readonly [keyof typeof wires, Kind])[] = [
  ["chat completions", "openai"],
  ["chat completions", "anthropic"],
  ["chat completions", "google"],
  ["chat completions", "mistral"],
  ["chat completions", "cohere"],
  ["chat completions", "bedrock"],
  ["messages", "anthropic"],
  ["messages", "openai"],
  ["responses", "openai"],
];

await using testbed = await startTestbed();
const catalogFile = join(testbed.folder, "adapters.json");
await writeFile(catalogFile, catalogOf(testbed.provider.url));
const gateway = await startAll(testbed, {
  database: "bench_adapters",
  env: {
    TOLLGATE_CATALOG: catalogFile,
    PROVIDER_KEY: "key",
    AWS_BEARER_TOKEN_BEDROCK: "token",
  },
});
const pool = new Pool(gateway.url, { connections: clients });
for (const one of contenders) await measure(one);
const samples = contenders.map((): number[] => []);
for (let round = 0; round < rounds; round += 1) {
  for (const [index, one] of contenders.entries()) samples[index]?.push(await measure(one));
}
await pool.close();
const forwarded = median(samples[0] ?? []);
for (const [index, [wire, kind]] of contenders.entries()) {
  const all = samples[index] ?? [];
  const more = median(all) - forwarded;
  process.stdout.write(
    `${wire} to ${kind}: ${median(all).toFixed(0)} µs a chunk (${Math.min(...all).toFixed(0)} to ` +
      `${Math.max(...all).toFixed(0)}), ${more < 0 ? "" : "+"}${more.toFixed(0)}\n`,
  );
}

/** Resolves with the microseconds of CPU for each further chunk of a stream. */
async function measure([wire, kind]: readonly [keyof typeof wires, Kind]): Promise<number> {
  const few = await run(wires[wire](`${kind}-${shortChunks}`));
  const many = await run(wires[wire](`${kind}-${chunks}`));
  return ((many.cpuMs - few.cpuMs) * 1_000) / (many.events - few.events);
}

/** Reads a stream with every client at once. Resolves with its cost, and the number of events. */
async function run({ path, body }: { path: string; body: object }) {
  const before = cpuMs(gateway.pids);
  const counts = await Promise.all(
    Array.from({ length: clients }, async () => {
      const headers = { ...gateway.headers, "content-type": "application/json" };
      const request = { path, method: "POST", headers, body: JSON.stringify(body) } as const;
      const { statusCode, body: response } = await pool.request(request);
      const text = await response.text();
      if (statusCode !== 200) throw new Error(`${path} returned ${statusCode}: ${text}`);
      return text.split("\n\n").length - 1;
    }),
  );
  return {
    cpuMs: cpuMs(gateway.pids) - before,
    events: counts.reduce((sum, count) => sum + count, 0),
  };
}

function catalogOf(simulatorUrl: string): string {
  const kinds = Object.keys(models) as Kind[];
  const providers = kinds.map((kind) => [
    kind,
    {
      kind,
      base_url: `${simulatorUrl}${models[kind].base}`,
      api_key_env: "PROVIDER_KEY",
      ...(kind === "bedrock" ? { region: "us-east-1" } : {}),
    },
  ]);
  const aliases = kinds.flatMap((kind) =>
    [shortChunks, chunks].map((count) => ({
      alias: `${kind}-${count}`,
      route_type: "chat",
      context_tokens: 131_072,
      max_output_tokens: 4_096,
      pricing: { per: 1_000_000, input: "0.15", output: "0.60" },
      chain: [{ provider: kind, model: `${models[kind].model}?chunks=${count}&gap_ms=${gapMs}` }],
    })),
  );
  return JSON.stringify({ providers: Object.fromEntries(providers), models: aliases });
}
