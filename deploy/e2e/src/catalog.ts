/** A catalog over the simulator. A slot's misbehaviour is written behind the `?` of its model id. */
export function testCatalog(simulatorUrl: string): string {
  return JSON.stringify({
    providers: {
      sim: { base_url: `${simulatorUrl}/v1`, timeout_seconds: 5 },
      secret: { base_url: `${simulatorUrl}/v1`, api_key_env: "TEST_PROVIDER_KEY" },
      nowhere: { base_url: "http://127.0.0.1:1/v1" },
    },
    models: [
      chatModel("test-small", [slot("sim", "small")]),
      chatModel("test-vision", [slot("sim", "vision")], { vision: true }),
      chatModel("test-keyed", [slot("secret", "keyed")]),
      chatModel("test-unlisted", [slot("sim", "unlisted")], { visibility: "unlisted" }),
      chatModel("test-internal", [slot("sim", "internal")], { visibility: "internal" }),
      chatModel("test-failover", [slot("sim", "first?status=503"), slot("sim", "second")]),
      chatModel("test-failover-dead", [slot("nowhere", "first"), slot("sim", "second")]),
      chatModel("test-failover-empty", [slot("sim", "first?cut_after=0"), slot("sim", "second")]),
      chatModel("test-dead", [slot("nowhere", "only")]),
      chatModel("test-failing", [slot("sim", "only?status=500")]),
      chatModel("test-limited", [slot("sim", "only?status=429")]),
      chatModel("test-breaker", [slot("sim", "broken?status=500"), slot("sim", "good")]),
      chatModel("test-cut", [slot("sim", "cut?cut_after=3")]),
      chatModel("test-endless", [slot("sim", "end?end_after=3")]),
      chatModel("test-no-usage", [slot("sim", "silent?no_usage")]),
      chatModel("test-provider-cost", [slot("sim", "costly?cost")]),
      chatModel("test-free", [slot("sim", "free")], {
        pricing: { per: 1_000_000, input: "0", output: "0" },
      }),
      {
        alias: "test-embed",
        route_type: "embeddings",
        pricing: { per: 1_000_000, input: "0.02" },
        chain: [slot("sim", "embed")],
      },
    ],
  });
}

function chatModel(alias: string, chain: object[], more: object = {}) {
  return {
    alias,
    route_type: "chat",
    context_tokens: 32_768,
    max_output_tokens: 4_096,
    pricing: { per: 1_000_000, input: "0.15", output: "0.60" },
    chain,
    ...more,
  };
}

function slot(provider: string, model: string) {
  return { provider, model };
}
