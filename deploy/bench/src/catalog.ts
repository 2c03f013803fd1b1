/** Returns a catalog that the simulator serves: `bench`, `bench-live` and additional aliases. */
export function benchCatalog(simulatorUrl: string, aliases = 2): string {
  const more = Array.from({ length: Math.max(0, aliases - 2) }, (_, index) =>
    chatModel(`bench-${index}`),
  );
  return JSON.stringify({
    providers: { simulator: { base_url: `${simulatorUrl}/v1` } },
    models: [
      ...more,
      chatModel("bench"),
      {
        alias: "bench-live",
        route_type: "transcriptions",
        language: "auto",
        pricing: { per: 1, price: "0.0001" },
        chain: [{ provider: "simulator", model: "bench", stream_path: "/audio/stream" }],
      },
    ],
  });
}

/** The prices of `per` tokens, in USD. */
export const benchPrices = { per: 1_000_000, input: "0.15", output: "0.60" } as const;

function chatModel(alias: string) {
  return {
    alias,
    route_type: "chat",
    context_tokens: 131_072,
    max_output_tokens: 1_024,
    pricing: benchPrices,
    chain: [{ provider: "simulator", model: "bench" }],
  };
}
