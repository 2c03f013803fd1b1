/**
 * Returns a catalog over the simulator. A slot's faults follow the `?` of its model id.
 */
export function testCatalog(simulatorUrl: string): string {
  return JSON.stringify({
    providers: {
      sim: { base_url: `${simulatorUrl}/v1`, timeout_seconds: 5 },
      // For many concurrent calls, which take longer than 5 s together.
      long_timeout: { base_url: `${simulatorUrl}/v1`, timeout_seconds: 60 },
      secret: { base_url: `${simulatorUrl}/v1`, api_key_env: "TEST_PROVIDER_KEY" },
      claude: {
        kind: "anthropic",
        base_url: `${simulatorUrl}/v1`,
        api_key_env: "TEST_PROVIDER_KEY",
        timeout_seconds: 5,
      },
      openai: {
        base_url: `${simulatorUrl}/v1`,
        api_key_env: "TEST_PROVIDER_KEY",
        responses: true,
        timeout_seconds: 5,
      },
      nowhere: { base_url: "http://127.0.0.1:1/v1" },
      ...vendor("azure", `${simulatorUrl}/azure/openai/v1`),
      ...vendor("google", `${simulatorUrl}/google/v1beta`),
      ...vendor("mistral", `${simulatorUrl}/mistral/v1`),
      ...vendor("cohere", `${simulatorUrl}/cohere/v2`),
      ...vendor("voyage", `${simulatorUrl}/voyage/v1`),
      ...vendor("jina", `${simulatorUrl}/jina/v1`),
      ...vendor("elevenlabs", `${simulatorUrl}/elevenlabs/v1`),
      ...vendor("deepgram", `${simulatorUrl}/deepgram/v1`),
      ...vendor("xai", `${simulatorUrl}/xai/v1`),
      bedrock: {
        kind: "bedrock",
        region: "us-east-1",
        base_url: `${simulatorUrl}/bedrock`,
        timeout_seconds: 5,
      },
      bedrock_key: {
        kind: "bedrock",
        region: "us-east-1",
        base_url: `${simulatorUrl}/bedrock`,
        api_key_env: "TEST_PROVIDER_KEY",
      },
    },
    models: [
      ...chatModels(),
      ...claudeModels(),
      ...responsesModels(),
      ...geminiModels(),
      ...grokModels(),
      ...mistralModels(),
      ...bedrockModels(),
      ...cohereModels(),
      ...jsonModels(),
      ...vendorModels(),
      ...audioModels(),
      ...ocrModels(),
      ...mistralOcrModels(),
    ],
  });
}

/** A provider whose name is its kind. */
function vendor(kind: string, base_url: string) {
  const api_key_env = "TEST_PROVIDER_KEY";
  return { [kind]: { kind, base_url, api_key_env, timeout_seconds: 5 } };
}

/** Models of the vendors whose wire is not OpenAI's, or has other headers. */
function vendorModels() {
  const embedder = (alias: string, chain: object[]) => ({
    ...embeddingsModel(alias, ""),
    chain,
  });
  const ranker = (alias: string, chain: object[]) => ({
    ...unitModel("rerank", alias, "", searches),
    chain,
  });
  const embedders = ["cohere", "google", "mistral", "voyage", "jina"].flatMap((name) => [
    embedder(`test-${name}-embed`, [slot(name, "embed")]),
    embedder(`test-${name}-embed-counted`, [slot(name, "embed?usage=70,0")]),
    embedder(`test-${name}-embed-limited`, [slot(name, "embed?status=429"), slot("sim", "embed")]),
    embedder(`test-${name}-embed-invalid`, [slot(name, "embed?status=400&message=too%20long")]),
    embedder(`test-${name}-embed-cut`, [slot(name, "embed?cut_after=0")]),
  ]);
  const rankers = ["cohere", "voyage", "jina", "bedrock"].flatMap((name) => [
    ranker(`test-${name}-rerank`, [slot(name, "rerank")]),
    ranker(`test-${name}-rerank-down`, [slot(name, "rerank?status=503"), slot("sim", "rerank")]),
  ]);
  return [
    ...embedders,
    ...rankers,
    embedder("test-cohere-query", [{ ...slot("cohere", "embed"), input_type: "search_query" }]),
    embedder("test-google-query", [{ ...slot("google", "embed"), input_type: "RETRIEVAL_QUERY" }]),
    embedder("test-voyage-query", [{ ...slot("voyage", "embed"), input_type: "query" }]),
    embedder("test-jina-query", [{ ...slot("jina", "embed"), input_type: "retrieval.query" }]),
    chatModel("test-azure", [slot("azure", "gpt")]),
    chatModel("test-azure-down", [slot("azure", "gpt?status=503"), slot("claude", "claude")]),
    embedder("test-azure-embed", [slot("azure", "embed")]),
    { ...imageModel("test-azure-image", ""), chain: [slot("azure", "image")] },
    ...googleMedia(),
  ];
}

function chatModels() {
  return [
    chatModel("test-small", [slot("sim", "small")]),
    chatModel("test-vision", [slot("sim", "vision")], { vision: true }),
    chatModel("test-keyed", [slot("secret", "keyed")]),
    chatModel("test-passing", [slot("sim", "passing?status=503"), slot("sim", "passing")], {
      passes: ["prompt_cache_key", "verbosity", "safety_identifier"],
    }),
    chatModel("test-unlisted", [slot("sim", "unlisted")], { visibility: "unlisted" }),
    chatModel("test-internal", [slot("sim", "internal")], { visibility: "internal" }),
    chatModel("test-failover", [slot("sim", "first?status=503"), slot("sim", "second")]),
    chatModel("test-switched", [slot("sim", "switched"), slot("sim", "after-switched")]),
    chatModel("test-tripped", [slot("sim", "tripped?status=503"), slot("sim", "after-tripped")]),
    chatModel("test-failover-dead", [slot("nowhere", "first"), slot("sim", "second")]),
    chatModel("test-failover-empty", [slot("sim", "first?cut_after=0"), slot("sim", "second")]),
    chatModel("test-failover-done", [
      slot("sim", "done?no_choices&no_usage"),
      slot("sim", "second"),
    ]),
    chatModel("test-failover-usage", [slot("sim", "usage?no_choices"), slot("sim", "second")]),
    chatModel("test-dead", [slot("nowhere", "only")]),
    chatModel("test-failing", [slot("sim", "only?status=500")]),
    chatModel("test-temporary", [slot("sim", "temporary")]),
    chatModel("test-limited", [slot("sim", "only?status=429")]),
    chatModel("test-breaker", [slot("sim", "broken-chat?status=500"), slot("sim", "good")]),
    chatModel("test-breaker-metrics", [slot("sim", "counted?status=500"), slot("sim", "good")]),
    chatModel("test-breaker-empty", [slot("sim", "broken?no_choices"), slot("sim", "good")]),
    chatModel("test-cut", [slot("sim", "cut?cut_after=3")]),
    chatModel("test-endless", [slot("sim", "end?end_after=3")]),
    chatModel("test-no-usage", [slot("sim", "silent?no_usage")]),
    chatModel("test-provider-cost", [slot("sim", "costly?cost")]),
    chatModel("test-dimensions", [slot("sim", "dimensions")], {
      pricing: {
        input: "3",
        cached_input: "0.30",
        cache_write: "3.75",
        output: "15",
        reasoning: "10",
        "tool:web_search": "0.01",
        tiers: [{ above_input_tokens: 1_000, input: "6", output: "22.50" }],
      },
    }),
    chatModel("test-agent", [slot("long_timeout", "agent")], {
      context_tokens: 200_000,
      max_output_tokens: 32_000,
      pricing: { per: 1_000_000, input: "5", output: "25" },
    }),
    chatModel("test-long", [slot("sim", "long?tokens=3900&chunks=39&gap_ms=25")], {
      pricing: { input: "3", output: "15" },
    }),
    chatModel("test-free", [slot("sim", "free")], {
      pricing: { per: 1_000_000, input: "0", output: "0" },
    }),
  ];
}

/** Models of a provider that speaks Anthropic's wire. */
function claudeModels() {
  const pricing = {
    input: "3",
    cached_input: "0.30",
    cache_write: "3.75",
    cache_write_1h: "6",
    output: "15",
  };
  const claude = (alias: string, chain: object[]) =>
    chatModel(alias, chain, { vision: true, pricing });
  const named = (commands: string) => slot("claude", `claude-sonnet-4-5${commands}`);
  const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };
  return [
    claude("test-claude", [named("")]),
    claude("test-claude-parallel", [named("?calls=3")]),
    claude("test-claude-cached", [named("?usage=100,40&cached=600,150,50")]),
    claude("test-claude-refusing", [named("?refusal")]),
    claude("test-claude-cut", [named("?cut_after=2")]),
    claude("test-claude-ended", [named("?end_after=2")]),
    claude("test-claude-erring", [named("?error_event=2")]),
    claude("test-claude-long", [named("?tokens=3900&chunks=39&gap_ms=25")]),
    claude("test-claude-slow", [named("?chunks=200&gap_ms=50")]),
    claude("test-claude-overloaded", [named("?status=529"), second]),
    claude("test-claude-limited", [named("?status=429"), second]),
    claude("test-claude-erring-first", [named("?error_event=0"), second]),
    claude("test-claude-invalid", [named("?status=400&message=prompt%20is%20too%20long"), second]),
  ];
}

/** Models of a provider that speaks OpenAI's Responses API, too. */
function responsesModels() {
  const pricing = { input: "3", cached_input: "0.30", output: "15" };
  const gpt = (alias: string, chain: object[]) =>
    chatModel(alias, chain, { vision: true, pricing });
  const named = (commands: string) => slot("openai", `gpt-5.4${commands}`);
  const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };
  return [
    gpt("test-gpt", [named("")]),
    gpt("test-gpt-cached", [named("?usage=700,40&cached=600,0,0")]),
    gpt("test-gpt-cut", [named("?cut_after=2")]),
    gpt("test-gpt-failed", [named("?chunks=9&gap_ms=5&response_failed=2")]),
    gpt("test-gpt-failed-first", [named("?response_failed=0"), second]),
    gpt("test-gpt-down", [named("?status=503"), second]),
    gpt("test-gpt-limited", [named("?status=429"), second]),
    gpt("test-gpt-invalid", [
      named("?status=400&message=Your%20input%20exceeds%20the%20context%20window"),
      second,
    ]),
    gpt("test-gpt-long", [named("?tokens=3900&chunks=39&gap_ms=25")]),
    gpt("test-gpt-slow", [named("?chunks=200&gap_ms=50")]),
  ];
}

/** Models of a provider that speaks Mistral's wire. */
function mistralModels() {
  const pricing = { input: "1", cached_input: "0.10", output: "4" };
  const mistral = (alias: string, chain: object[]) =>
    chatModel(alias, chain, { vision: true, pricing });
  const named = (commands: string) => slot("mistral", `mistral-large-4${commands}`);
  const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };
  const first = { ...slot("sim", "first?status=503"), pricing: { input: "1", output: "2" } };
  return [
    mistral("test-mistral", [named("")]),
    mistral("test-mistral-thinking", [slot("mistral", "magistral-medium-latest")]),
    mistral("test-mistral-parallel", [named("?calls=3")]),
    mistral("test-mistral-cached", [named("?usage=700,40&cached=600,0,0")]),
    mistral("test-mistral-cut", [named("?cut_after=2")]),
    mistral("test-mistral-ended", [named("?end_after=2")]),
    mistral("test-mistral-erring", [named("?error_event=2")]),
    mistral("test-mistral-slow", [named("?chunks=200&gap_ms=50")]),
    mistral("test-mistral-overloaded", [named("?status=503"), second]),
    mistral("test-mistral-limited", [named("?status=429"), second]),
    mistral("test-mistral-failed", [named("?malformed_call"), second]),
    mistral("test-mistral-erring-first", [named("?error_event=0"), second]),
    mistral("test-mistral-invalid", [
      named("?status=400&message=prompt%20is%20too%20long"),
      second,
    ]),
    mistral("test-mistral-second", [first, named("")]),
  ];
}

/** Models of a provider that speaks Cohere's wire. */
function cohereModels() {
  const pricing = { input: "1", cached_input: "0.10", output: "4" };
  const cohere = (alias: string, chain: object[]) =>
    chatModel(alias, chain, { vision: true, pricing });
  const named = (commands: string) => slot("cohere", `command-a-03-2025${commands}`);
  const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };
  const first = { ...slot("sim", "first?status=503"), pricing: { input: "1", output: "2" } };
  return [
    cohere("test-cohere", [named("")]),
    cohere("test-cohere-parallel", [named("?calls=3")]),
    cohere("test-cohere-cached", [named("?usage=700,40&cached=600,0,0")]),
    cohere("test-cohere-cut", [named("?cut_after=3")]),
    cohere("test-cohere-ended", [named("?end_after=3")]),
    cohere("test-cohere-overloaded", [named("?status=503"), second]),
    cohere("test-cohere-limited", [named("?status=429"), second]),
    cohere("test-cohere-failed", [named("?malformed_call"), second]),
    cohere("test-cohere-invalid", [named("?status=400&message=prompt%20is%20too%20long"), second]),
    cohere("test-cohere-second", [first, named("")]),
  ];
}

/** Models of a provider that speaks Gemini's wire. */
function geminiModels() {
  const pricing = { input: "1", cached_input: "0.10", output: "4", reasoning: "5" };
  const gemini = (alias: string, chain: object[]) =>
    chatModel(alias, chain, { vision: true, pricing });
  const named = (commands: string) => slot("google", `gemini-2.5-flash${commands}`);
  const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };
  const first = { ...slot("sim", "first?status=503"), pricing: { input: "1", output: "2" } };
  return [
    gemini("test-gemini", [named("")]),
    gemini("test-gemini-3", [slot("google", "gemini-3-flash-preview")]),
    gemini("test-gemini-parallel", [slot("google", "gemini-3-flash-preview?calls=3")]),
    gemini("test-gemini-cached", [named("?usage=700,40&cached=600,0,0")]),
    gemini("test-gemini-refusing", [named("?refusal")]),
    gemini("test-gemini-blocked", [named("?blocked")]),
    gemini("test-gemini-cut", [named("?cut_after=2")]),
    gemini("test-gemini-ended", [named("?end_after=2")]),
    gemini("test-gemini-erring", [named("?error_event=2")]),
    gemini("test-gemini-slow", [named("?chunks=200&gap_ms=50")]),
    gemini("test-gemini-overloaded", [named("?status=503"), second]),
    gemini("test-gemini-limited", [named("?status=429"), second]),
    gemini("test-gemini-malformed", [named("?malformed_call"), second]),
    gemini("test-gemini-erring-first", [named("?error_event=0"), second]),
    gemini("test-gemini-invalid", [named("?status=400&message=prompt%20is%20too%20long"), second]),
    gemini("test-gemini-second", [first, named("")]),
    gemini("test-gemini-after-claude", [
      slot("claude", "claude-sonnet-4-5?status=529"),
      slot("google", "gemini-3-flash-preview"),
    ]),
  ];
}

/** Models of xAI, which speaks OpenAI's wire with less members and another usage. */
function grokModels() {
  const pricing = { input: "3", cached_input: "0.75", output: "15" };
  const grok = (alias: string, chain: object[]) =>
    chatModel(alias, chain, { vision: true, pricing });
  const named = (commands: string) => slot("xai", `grok-4-0709${commands}`);
  const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };
  return [
    grok("test-grok", [named("")]),
    grok("test-grok-plain", [slot("xai", "grok-4-fast-non-reasoning")]),
    grok("test-grok-limited", [named("?status=429"), second]),
    grok("test-grok-down", [named("?status=503"), second]),
    grok("test-grok-cut", [named("?cut_after=2")]),
    grok("test-grok-invalid", [named("?status=400&message=prompt%20is%20too%20long"), second]),
    { ...imageModel("test-grok-image", ""), chain: [slot("xai", "grok-2-image")] },
    {
      ...imageModel("test-grok-image-down", ""),
      chain: [slot("xai", "grok-2-image?status=503"), slot("sim", "image")],
    },
  ];
}

/** Models of Amazon Bedrock. */
function bedrockModels() {
  const pricing = {
    input: "3",
    cached_input: "0.30",
    cache_write: "3.75",
    cache_write_1h: "6",
    output: "15",
  };
  const bedrock = (alias: string, chain: object[]) =>
    chatModel(alias, chain, { vision: true, pricing });
  const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
  const named = (commands: string) => slot("bedrock", `${claude}${commands}`);
  const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };
  return [
    bedrock("test-bedrock", [named("")]),
    bedrock("test-bedrock-key", [slot("bedrock_key", claude)]),
    bedrock("test-bedrock-nova", [slot("bedrock", "amazon.nova-pro-v1:0")]),
    bedrock("test-bedrock-parallel", [named("?calls=3")]),
    bedrock("test-bedrock-cached", [named("?usage=100,40&cached=600,150,50")]),
    bedrock("test-bedrock-refusing", [named("?refusal")]),
    bedrock("test-bedrock-cut", [named("?cut_after=2")]),
    bedrock("test-bedrock-ended", [named("?end_after=2")]),
    bedrock("test-bedrock-truncated", [named("?truncate_after=2")]),
    bedrock("test-bedrock-corrupt", [named("?garbage"), second]),
    bedrock("test-bedrock-throttled", [named("?error_event=2")]),
    bedrock("test-bedrock-slow", [named("?chunks=200&gap_ms=50")]),
    bedrock("test-bedrock-trickling", [named("?trickle_ms=1")]),
    bedrock("test-bedrock-down", [named("?status=503"), second]),
    bedrock("test-bedrock-limited", [named("?status=429"), second]),
    bedrock("test-bedrock-failed", [named("?status=424"), second]),
    bedrock("test-bedrock-malformed", [named("?malformed_call"), second]),
    bedrock("test-bedrock-throttled-first", [named("?error_event=0"), second]),
    bedrock("test-bedrock-truncated-first", [named("?truncate_after=0"), second]),
    bedrock("test-bedrock-invalid", [
      named("?status=400&message=prompt%20is%20too%20long"),
      second,
    ]),
    bedrock("test-bedrock-denied", [named("?status=403&message=no%20access%20for%20arn"), second]),
    bedrock("test-bedrock-after-claude", [
      slot("claude", "claude-sonnet-4-5?status=529"),
      named(""),
    ]),
  ];
}

function jsonModels() {
  return [
    embeddingsModel("test-embed", "embed"),
    { ...embeddingsModel("test-embed-tokens", "embed"), token_input: true },
    { ...embeddingsModel("test-embed-tokens-no-usage", "embed?no_usage"), token_input: true },
    embeddingsModel("test-embed-total", "embed?total_only&usage=70,0"),
    embeddingsModel("test-embed-no-usage", "embed?no_usage"),
    embeddingsModel("test-embed-listless", "embed?no_list"),
    ...faulty("test-embed", (alias, model) => embeddingsModel(alias, model)),
    unitModel("rerank", "test-rerank", "rerank", searches),
    unitModel("rerank", "test-rerank-bare", "rerank?bare", searches),
    unitModel("rerank", "test-rerank-listless", "rerank?no_list", searches),
    ...faulty("test-rerank", (alias, model) => unitModel("rerank", alias, model, searches)),
    taxonomyModel("test-taxonomy", "taxonomy", ["2.1", "2.2"]),
    taxonomyModel("test-taxonomy-3", "taxonomy", ["3.1"]),
    taxonomyModel("test-taxonomy-pages", "taxonomy?pages=7", ["2.1"]),
    ...faulty("test-taxonomy", (alias, model) => taxonomyModel(alias, model, ["2.1"])),
    { ...unitModel("classification", "test-entities", "entities", searches), lane: "entities" },
    imageModel("test-image", "image"),
    imageModel("test-image-few", "image?images=2"),
    imageModel("test-image-many", "image?images=12"),
    imageModel("test-image-none", "image?images=0"),
    imageModel("test-image-fine", "image", "0.0000001"),
    ...faulty("test-image", (alias, model) => imageModel(alias, model)),
  ];
}

function audioModels() {
  return [
    speechModel("test-speech", "voice"),
    speechModel("test-speech-paced", "voice?delay_ms=1500&gap_ms=200&chunk_bytes=1000"),
    speechModel("test-speech-wav", "voice?audio_type=audio/wav", ["wav"]),
    speechModel("test-speech-shouted", "voice?audio_type=AUDIO/WAV"),
    speechModel("test-speech-untyped", "voice?audio_type="),
    speechModel("test-speech-html", "voice?audio_type=text/html"),
    speechModel("test-speech-cut", "voice?cut_after=3&chunk_bytes=1000&bytes=9000"),
    speechModel("test-speech-empty", "voice?bytes=0"),
    speechModel("test-speech-big", "voice?bytes=1000000000&chunk_bytes=262144"),
    ...audioVendorModels(),
    ...faulty("test-speech", (alias, model) => speechModel(alias, model)),
    transcriber("test-hear", "hear"),
    transcriber("test-hear-dedicated", "hear?needs_lang", { language: "required" }),
    transcriber("test-hear-dedicated-broken", "x", {
      language: "required",
      chain: [
        ...transcriber("", "hear?status=502").chain,
        ...transcriber("", "hear?needs_lang").chain,
      ],
    }),
    transcriber("test-hear-dedicated-out", "hear?status=502", { language: "required" }),
    transcriber("test-hear-dedicated-strict", "hear?status=400&message=unknown%20language", {
      language: "required",
    }),
    transcriber("test-hear-duration", "hear?duration=12.3"),
    transcriber("test-hear-clock", "hear?no_duration&delay_ms=1200"),
    transcriber("test-hear-held", "hear?no_duration&delay_ms=3500"),
    { ...transcriber("test-hear-files", "x"), chain: [slot("sim", "x")] },
    transcriber("test-hear-no-durations", "hear?no_duration"),
    transcriber("test-hear-open", "hear?no_close"),
    transcriber("test-hear-bare-open", "hear?no_duration&no_close"),
    transcriber("test-hear-bare-late", "hear?no_duration&drain_ms=800"),
    transcriber("test-hear-late", "hear?drain_ms=400"),
    transcriber("test-hear-thinking", "hear?drain_ms=4000"),
    transcriber("test-hear-mute", "hear?mute"),
    transcriber("test-hear-dying", "hear?die_after=3"),
    transcriber("test-hear-dead-at-once", "hear?die_after=0"),
    transcriber("test-hear-reporting", "hear?fail_after=3"),
    transcriber("test-hear-closing", "hear?close_after=3"),
    transcriber("test-hear-closing-at-once", "hear?close_after=0"),
    transcriber("test-hear-flood", "hear?flood=200"),
    transcriber("test-hear-stalled", "hear?stall"),
    transcriber("test-hear-refused", "hear?status=403"),
    transcriber("test-hear-busy", "hear?status=503"),
    transcriber("test-hear-erring", "hear?status=200"),
    transcriber("test-hear-internal", "hear", { visibility: "internal" }),
    after("nowhere", transcriber("test-hear-after-nowhere", "hear")),
    after("busy", transcriber("test-hear-after-busy", "hear")),
    {
      ...transcriber("test-hear-dead", "x"),
      chain: [{ ...slot("nowhere", "x"), stream_path: "/x" }],
    },
  ];
}

function ocrModels() {
  return [
    reader("test-read", ""),
    reader("test-read-archival", "", { lane: "archival" }),
    reader("test-read-pages", "pages=7"),
    reader("test-read-list", "pages=4&page_list"),
    reader("test-read-slow", "delay_ms=3500"),
    {
      ...reader("test-read-many", ""),
      chain: [{ ...slot("long_timeout", "many"), path: "/ocr" }],
    },
    reader("test-read-failing", "status=500"),
    reader("test-read-refused", "status=400&message=no%20thanks"),
    reader("test-read-erring", "status=200"),
    reader("test-read-failed", "job_status=Failed&pages=2"),
    {
      ...reader("test-read-erring-first", ""),
      chain: [
        { ...slot("sim", "erring"), path: "/ocr?simulate=status%3D200" },
        { ...slot("sim", "reading"), path: "/ocr?simulate=pages%3D2" },
      ],
    },
    reader("test-read-nameless", "no_job_id"),
    reader("test-read-at-once", "running=0&pages=12"),
    reader("test-read-again", "running=0&pages=12&job_id=job-1"),
    {
      ...reader("test-read-numbered", ""),
      chain: [
        {
          ...slot("sim", "first"),
          path: "/ocr?simulate=running%3D0%26pages%3D3%26job_number%3D71",
        },
        { ...slot("sim", "second"), path: "/ocr" },
      ],
    },
    reader("test-read-error", "running=0&job_status=ERROR"),
    reader("test-read-odd", "running=0&job_status=paused"),
    {
      ...reader("test-read-failover", ""),
      chain: [
        { ...slot("sim", "first"), path: "/ocr?simulate=status%3D503" },
        { ...slot("sim", "second"), path: "/ocr?simulate=running%3D0%26pages%3D2" },
      ],
    },
    reader("test-read-internal", "", { visibility: "internal" }),
    after("nowhere", reader("test-read-after-nowhere", "")),
    after("busy", reader("test-read-after-busy", "")),
    { ...reader("test-read-dead", ""), chain: [slot("nowhere", "x")] },
  ];
}

/** OCR by Mistral. The commands are behind the model id, also those of jobs. */
function mistralOcrModels() {
  const named = (commands: string) => slot("mistral", `mistral-ocr-latest${commands}`);
  const forwarded = (commands: string) => {
    const path = `/ocr?simulate=${encodeURIComponent(commands)}`;
    return { ...slot("sim", commands), path, pricing: { per: 1_000, price: "2.00" } };
  };
  const second = forwarded("pages=2&running=0");
  const mistral = (name: string, chain: object[]) => ({
    ...reader(`test-mistral-read${name}`, ""),
    chain,
  });
  return [
    mistral("", [named("")]),
    mistral("-pages", [named("?pages=29")]),
    mistral("-no-usage", [named("?pages=4&no_usage")]),
    mistral("-slow", [named("?delay_ms=3500")]),
    mistral("-limited", [named("?status=429"), second]),
    mistral("-overloaded", [named("?status=503"), second]),
    mistral("-tripped", [named("?status=529"), second]),
    mistral("-second", [forwarded("status=503"), named("")]),
    mistral("-down", [named("?refuse")]),
    mistral("-failing", [named("?status=500")]),
    mistral("-invalid", [named("?status=400&message=too%20many%20pages"), second]),
    mistral("-pageless", [named("?no_choices")]),
    mistral("-at-once", [named("?running=0&pages=12")]),
    mistral("-file", [named("?running=0&pages=3&no_list")]),
    mistral("-job-failed", [named("?running=0&job_status=FAILED")]),
    mistral("-job-late", [named("?running=0&job_status=TIMEOUT_EXCEEDED")]),
    mistral("-job-cancelled", [named("?running=0&job_status=CANCELLED")]),
    mistral("-job-refused", [named("?running=0&request_status=422&message=no%20page%20found")]),
    mistral("-job-lost", [named("?running=0&request_status=500&no_list")]),
    mistral("-job-nameless", [named("?no_job_id")]),
  ];
}

/** The same model, after a slot that is unreachable, or that reads the upload and returns 503. */
function after(how: "nowhere" | "busy", model: { chain: readonly object[] }) {
  const busy = { ...slot("sim", "busy"), path: "/ocr?simulate=status%3D503" };
  const first = how === "busy" ? busy : slot("nowhere", "x");
  return { ...model, chain: [first, ...model.chain] };
}

const searches = { per: 1_000, price: "2.00" };

/** The same model over a provider that fails, in each way that a client can tell apart. */
function faulty(alias: string, model: (alias: string, upstream: string) => { chain: object[] }) {
  return [
    model(`${alias}-failing`, "broken?status=500"),
    model(`${alias}-refused`, "refusing?status=400&message=no%20thanks"),
    model(`${alias}-garbage`, "garbled?garbage"),
    model(`${alias}-erring`, "erring?status=200"),
    {
      ...model(`${alias}-erring-first`, "x"),
      chain: [slot("sim", "erring-first?status=200"), slot("sim", "good")],
    },
    model(`${alias}-slow`, "slow?delay_ms=4000"),
    { ...model(`${alias}-dead`, "x"), chain: [slot("nowhere", "only")] },
    { ...model(`${alias}-internal`, "x"), visibility: "internal" },
  ];
}

function embeddingsModel(alias: string, model: string) {
  const pricing = { per: 1_000_000, input: "0.02" };
  return { alias, route_type: "embeddings", pricing, chain: [slot("sim", model)] };
}

function unitModel(route_type: string, alias: string, model: string, pricing: object) {
  return { alias, route_type, pricing, chain: [slot("sim", model)] };
}

function taxonomyModel(alias: string, model: string, taxonomies: string[]) {
  const pricing = { per: 1_000, price: "0.50" };
  return { ...unitModel("classification", alias, model, pricing), lane: "taxonomy", taxonomies };
}

function imageModel(alias: string, model: string, price = "0.04") {
  return unitModel("images", alias, model, { per: 1, price });
}

/** Images and speech of Gemini, and images of Imagen. */
function googleMedia() {
  const imagen = "imagen-4.0-generate-001";
  const drawer = (alias: string, chain: object[]) => ({ ...imageModel(alias, ""), chain });
  const speaker = (alias: string, chain: object[]) => ({ ...speechModel(alias, ""), chain });
  return [
    drawer("test-google-image", [slot("google", "gemini-2.5-flash-image")]),
    drawer("test-google-image-none", [slot("google", "gemini-2.5-flash-image?images=0")]),
    drawer("test-google-image-down", [
      slot("google", "gemini-2.5-flash-image?status=503"),
      slot("sim", "image"),
    ]),
    drawer("test-google-imagen", [
      { ...slot("google", imagen), path: `/models/${imagen}:predict` },
    ]),
    speaker("test-google-speech", [slot("google", "gemini-2.5-flash-preview-tts")]),
    speaker("test-google-speech-empty", [slot("google", "gemini-2.5-flash-preview-tts?bytes=0")]),
  ];
}

/** Models of the vendors of audio. */
function audioVendorModels() {
  const speaker = (alias: string, chain: object[]) => ({ ...speechModel(alias, ""), chain });
  const listener = (alias: string, chain: object[]) => ({ ...transcriber(alias, ""), chain });
  const realtime = {
    ...slot("elevenlabs", "scribe_v2_realtime"),
    stream_path: "/speech-to-text/realtime",
  };
  const deepgramLive = { ...slot("deepgram", "nova-3"), stream_path: "/listen" };
  const invalid = "eleven_v2?status=400&message=no%20such%20voice";
  return [
    speaker("test-elevenlabs-speech", [slot("elevenlabs", "eleven_v2")]),
    speaker("test-elevenlabs-speech-limited", [
      slot("elevenlabs", "eleven_v2?status=429"),
      slot("sim", "voice"),
    ]),
    speaker("test-elevenlabs-speech-invalid", [slot("elevenlabs", invalid)]),
    speaker("test-deepgram-speech", [slot("deepgram", "aura-2")]),
    listener("test-elevenlabs-hear", [slot("elevenlabs", "scribe_v2")]),
    listener("test-elevenlabs-hear-down", [
      slot("elevenlabs", "scribe_v2?status=503"),
      slot("deepgram", "nova-3"),
    ]),
    listener("test-elevenlabs-live", [realtime]),
    listener("test-elevenlabs-live-failing", [
      { ...realtime, model: "scribe_v2_realtime?fail_after=1" },
    ]),
    listener("test-deepgram-hear", [slot("deepgram", "nova-3")]),
    listener("test-deepgram-hear-unknown", [slot("deepgram", "nova-3?no_choices")]),
    listener("test-deepgram-live", [deepgramLive]),
    listener("test-deepgram-live-failing", [{ ...deepgramLive, model: "nova-3?fail_after=1" }]),
    speaker("test-deepgram-speech-limited", [slot("deepgram", "aura-2"), slot("sim", "voice")]),
  ];
}

function speechModel(alias: string, model: string, response_formats?: string[]) {
  const pricing = { per: 1_000, price: "0.015" };
  return { ...unitModel("speech", alias, model, pricing), max_characters: 400, response_formats };
}

/** The model and its commands are in the URLs. */
function transcriber(alias: string, model: string, more: object = {}) {
  const query = `?model=${encodeURIComponent(model)}`;
  const paths = { path: `/audio/transcriptions${query}`, stream_path: `/audio/stream${query}` };
  const pricing = { per: 1, price: "0.0001" };
  const chain = [{ ...slot("sim", model), ...paths }];
  return { alias, route_type: "transcriptions", language: "auto", pricing, chain, ...more };
}

/** The commands are in the URL, since the form is passed on unchanged. */
function reader(alias: string, commands: string, more: object = {}) {
  const path = `/ocr?simulate=${encodeURIComponent(commands)}`;
  const pricing = { per: 1_000, price: "1.50" };
  const chain = [{ ...slot("sim", alias), path }];
  return { alias, route_type: "ocr", lane: "print", pricing, chain, ...more };
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
