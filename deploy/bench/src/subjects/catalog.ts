/** The prices of `per` tokens, in USD. */
export const benchPrices = {
  per: 1_000_000,
  input: "0.15",
  cache_write_1h: "0.15",
  output: "0.60",
} as const;

/** Providers whose API is translated: where the simulator speaks it, and a model of it. */
const adapted = {
  anthropic: { path: "/v1", model: "claude-sonnet-4-5" },
  google: { path: "/google/v1beta", model: "gemini-2.5-flash" },
  mistral: { path: "/mistral/v1", model: "mistral-large-4" },
  cohere: { path: "/cohere/v2", model: "command-a-03-2025" },
  bedrock: { path: "/bedrock", model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0" },
} as const;

/** A stream of 50 chunks at 20 ms, for providers that a request cannot send commands to. */
const commands = "?chunks=50&gap_ms=20";

/** What the catalog's providers need in the environment. */
export const catalogEnv = { PROVIDER_KEY: "key", AWS_BEARER_TOKEN_BEDROCK: "token" } as const;

/** Returns a catalog that the simulator serves: `bench`, `bench-KIND`, `bench-KIND-stream`, `bench-0`. */
export function benchCatalog(simulatorUrl: string, aliases = 0): string {
  const kinds = Object.entries(adapted).map(([kind, { path }]) => [
    kind,
    {
      kind,
      base_url: `${simulatorUrl}${path}`,
      api_key_env: "PROVIDER_KEY",
      ...(kind === "bedrock" ? { region: "us-east-1" } : {}),
    },
  ]);
  const simulator = { base_url: `${simulatorUrl}/v1` };
  const numbered = Array.from({ length: aliases }, (_, index) => `bench-${index}`);
  return JSON.stringify({
    providers: { simulator, ...Object.fromEntries(kinds) },
    models: [
      ...["bench", ...numbered].map((alias) => chatModel(alias, "simulator", "bench")),
      ...Object.entries(adapted).flatMap(([kind, { model }]) => [
        chatModel(`bench-${kind}`, kind, model),
        chatModel(`bench-${kind}-stream`, kind, `${model}${commands}`),
      ]),
    ],
  });
}

function chatModel(alias: string, provider: string, model: string) {
  return {
    alias,
    route_type: "chat",
    context_tokens: 131_072,
    max_output_tokens: 1_024,
    pricing: benchPrices,
    chain: [{ provider, model }],
  };
}
