import { chatModel, slot } from "./entries.ts";

/**
 * Returns an alias for one test. Its first slot always fails, and no other test opens that slot's
 * breaker.
 */
function failoverModel(test: string) {
  return chatModel(`test-failover-${test}`, [
    slot("sim", `first-${test}?status=503`),
    slot("sim", "second"),
  ]);
}

/** OpenAI's words about a wrong key. */
const lapsedMessage = encodeURIComponent("Incorrect API key provided: sk-proj-****wxyz.");
/** OpenRouter's words where the balance covers less than the most that a request can cost. */
const dearMessage = encodeURIComponent(
  "This request requires more credits, or fewer max_tokens. You can only afford 4000.",
);

/** Chat at a provider of OpenAI's wire. */
export function chatModels() {
  return [
    chatModel("test-small", [slot("sim", "small")]),
    chatModel("test-vision", [slot("sim", "vision")], { vision: true }),
    chatModel("test-vision-private", [slot("intranet", "vision")], { vision: true }),
    chatModel("test-vision-mixed", [slot("intranet", "vision"), slot("sim", "vision")], {
      vision: true,
    }),
    ...mediaModels(),
    chatModel("test-keyed", [slot("secret", "keyed")]),
    chatModel("test-passing", [slot("sim", "passing?status=503"), slot("sim", "passing")], {
      passes: ["prompt_cache_key", "verbosity", "safety_identifier"],
    }),
    chatModel("test-unlisted", [slot("sim", "unlisted")], { visibility: "unlisted" }),
    chatModel("test-internal", [slot("sim", "internal")], { visibility: "internal" }),
    chatModel("test-failover", [slot("sim", "first?status=503"), slot("sim", "second")]),
    ...["trail", "console", "metrics"].map(failoverModel),
    ...failingModels(),
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
    chatModel("test-cut", [slot("sim", "cut?cut_after=2")]),
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
    // The same, for tests whose provider counts more tokens than a prompt has: the gateway learns that.
    chatModel("test-counting", [slot("long_timeout", "counting")], {
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

/** Models that take files and audio. */
function mediaModels() {
  const more = {
    inputs: ["pdf", "audio"],
    page_tokens: 2_000,
    audio_tokens_per_second: 10,
    pricing: { input: "1", audio_input: "40", output: "4" },
  };
  return [
    chatModel("test-media", [slot("sim", "media")], more),
    chatModel("test-media-silent", [slot("sim", "media?no_usage")], more),
    chatModel(
      "test-media-mixed",
      [slot("cohere", "command-a-03-2025"), slot("sim", "media")],
      more,
    ),
    chatModel("test-media-allowing", [slot("sim", "media")], {
      ...more,
      allows: ["stored", "urls"],
    }),
  ];
}

/** Models that fail for one customer, or at one provider. */
function failingModels() {
  return [
    ...["empty", "failed", "silent"].map((attack) =>
      chatModel(`test-attacked-${attack}`, [slot("contested", `attacked-${attack}`)]),
    ),
    chatModel("test-lapsed", [
      slot("lapsed", `lapsed?pass_first=20&id=lapsed&status=401&message=${lapsedMessage}`),
      slot("sim", "after-lapsed"),
    ]),
    chatModel("test-renewed", [
      slot("renewed", "renewed?fail_first=1&id=renewed&status=401"),
      slot("sim", "after-renewed"),
    ]),
    chatModel("test-lapsed-too", [slot("lapsed", "too"), slot("sim", "after-lapsed")]),
    chatModel("test-limited-first", [slot("sim", "limited?status=429"), slot("sim", "second")]),
    chatModel("test-dear", [slot("sim", `dear?status=402&message=${dearMessage}`)]),
    chatModel("test-dear-first", [
      slot("sim", `dear?status=402&message=${dearMessage}`),
      slot("sim", "second"),
    ]),
  ];
}
