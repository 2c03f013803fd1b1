import { chatModel, reader, slot, speechModel, transcriber, unitModel } from "./entries.ts";

/**
 * How the simulated provider behaves: it responds when the simulator releases its calls, or it fails.
 * `soon`: it responds after 20 ms. `endless`, of speech: a gigabyte of audio. `fails_late`: it fails when
 * it is released; a second slot responds.
 */
export const behaviors = {
  held: { provider: "long_timeout", commands: "delay_ms=600000" },
  endless: { provider: "long_timeout", commands: "bytes=1000000000&chunk_bytes=262144" },
  fails_late: { provider: "long_timeout", commands: "delay_ms=600000&status=503" },
  soon: { provider: "sim", commands: "delay_ms=20" },
  closes: { provider: "sim", commands: "cut_after=0" },
  stalls: { provider: "hasty", commands: "hang" },
  errs: { provider: "sim", commands: "status=500" },
  // Of streams: 400 tokens in four chunks, 4,000 in 200, or 200 in a second.
  "waits-in-stream": { provider: "long_timeout", commands: "tokens=400&chunks=4&stall_after=3" },
  "closes-stream": { provider: "sim", commands: "tokens=400&chunks=4&cut_after=3" },
  "errs-in-stream": { provider: "sim", commands: "tokens=400&chunks=4&error_event=3" },
  streams: { provider: "sim", commands: "tokens=400&chunks=4" },
  "stalls-in-the-middle": {
    provider: "long_timeout",
    commands: "tokens=4000&chunks=200&stall_after=101",
  },
  paced: { provider: "sim", commands: "tokens=200&chunks=100&gap_ms=10" },
} as const;

export type Behavior = keyof typeof behaviors;

/** Providers that take the calls of a row otherwise than those of `behaviors` do, which have the same timeouts. */
const providersOf = {
  messages: { kind: "anthropic", api_key_env: "TEST_PROVIDER_KEY" },
  responses: { responses: true, api_key_env: "TEST_PROVIDER_KEY" },
  form: { transcriptions: "multipart" },
} as const;

const timeouts = { sim: 5, long_timeout: 60, hasty: 1 } as const;

/** Returns the providers of the matrix of charges, `ROW-NAME`. */
export function chargingProviders(base_url: string): object {
  const entries = Object.entries(providersOf).flatMap(([row, provider]) =>
    Object.entries(timeouts).map(([name, timeout_seconds]) => [
      `${row}-${name}`,
      { base_url, ...provider, timeout_seconds },
    ]),
  );
  return Object.fromEntries(entries);
}

/** Providers that stall in the middle, by what they report before the end. Each has a model `charge-to-NAME`. */
export const reporters = {
  claude: slot("claude", "claude-sonnet-4-5?tokens=4000&chunks=200&stall_after=50"),
  responses: slot("openai", "gpt-5?tokens=4000&chunks=200&stall_after=50"),
  gemini: slot("google", "gemini-2.5-flash?tokens=4000&chunks=200&stall_after=50"),
  "gemini-each": slot(
    "google",
    "gemini-2.5-flash?tokens=4000&chunks=200&stall_after=50&usage_each",
  ),
  bedrock: slot("bedrock_key", "us.amazon.nova-lite-v1:0?tokens=4000&chunks=200&stall_after=50"),
  vllm: slot("vllm", "qwen?tokens=4000&chunks=200&stall_after=50"),
} as const;

export type Reporter = keyof typeof reporters;

/**
 * How the simulated provider of streamed audio behaves. `late`: its first event comes after a while.
 * `lingers`: after the flush come ten events, two seconds apart, or at once when it is released.
 * `pending`: the rest of its events does not come after the flush. `open`: it does not close. `idle`: it
 * closes while it is sent nothing. `closes`, `errs`: so does it, after its first events.
 */
export const audioBehaviors = {
  late: "drain_ms=300",
  lingers: "final_ms=50&drain_ms=2000",
  pending: "drain_ms=60000",
  open: "no_close",
  idle: "idle_ms=200",
  closes: "close_after=3",
  errs: "fail_after=12&drain_ms=50",
} as const;

export type AudioBehavior = keyof typeof audioBehaviors;

/** The models of streamed audio in the matrix of charges, `charge-hear-BEHAVIOR`. */
export function audioChargingModels(): object[] {
  return Object.entries(audioBehaviors).map(([behavior, commands]) =>
    transcriber(`charge-hear-${behavior}`, `hear?${commands}`),
  );
}

/**
 * The models of the matrix of charges, `charge-ROUTE-BEHAVIOR`. Their prices are whole micro-USD, so that
 * no cost is rounded.
 */
export function chargingModels(): object[] {
  const pricing = { input: "1", cache_write_1h: "1", output: "4" };
  const streaming = Object.entries(reporters).map(([name, one]) =>
    chatModel(`charge-to-${name}`, [one], { pricing }),
  );
  const thinking = (name: string, commands: string, more = {}) =>
    chatModel(`charge-thinks-${name}`, [slot("sim", `thinks-${name}?${commands}`)], {
      pricing,
      ...more,
    });
  const short = "tokens=400&chunks=4&gap_ms=30&reasoning=3000";
  const hidden = { reasoning: "hidden" };
  return [
    ...streaming,
    ...behaving(),
    thinking("hidden", short, hidden),
    thinking("long", "tokens=4000&chunks=200&gap_ms=2&reasoning=3000", hidden),
    thinking("breaking", `${short}&cut_after=4`, hidden),
    thinking("learnt", short),
    thinking("switched", short, { passes: ["reasoning"] }),
    chatModel("charge-thinks-claude", [slot("claude", `claude-sonnet-4-5?${short}`)], { pricing }),
    chatModel(
      "charge-second-held",
      [slot("sim", "fails?status=500"), slot("long_timeout", "held?delay_ms=600000")],
      { pricing },
    ),
    thinking("shown", "tokens=400&chunks=4&gap_ms=400&reasoning=3000&show_reasoning"),
  ];
}

function behaving(): object[] {
  return (Object.keys(behaviors) as Behavior[]).flatMap((behavior) => {
    const { provider, commands } = behaviors[behavior];
    const named = (route: string) => `charge-${route}-${behavior}`;
    const second = behavior === "fails_late" ? [slot("sim", "second")] : [];
    const chain = (model: string, more = "") => [
      slot(provider, `${model}?${commands}${more}`),
      ...second,
    ];
    const byPath = (model: { chain: readonly object[] }) => ({
      ...model,
      chain: model.chain.map((one) => ({ ...one, provider })),
    });
    const unit = (type: string, route: string, price: string, more: string) => ({
      ...unitModel(type, named(route), "", { per: 1, price }),
      chain: chain(`charge-${route}`, more),
    });
    const at = (row: keyof typeof providersOf, model: string) => [
      slot(`${row}-${provider}`, `${model}?${commands}`),
      ...second,
    ];
    const perToken = { pricing: { input: "1", cache_write_1h: "1", output: "4" } };
    const thinks = chain("charge-hidden", "&reasoning=300");
    const form = (name: string, model: string) => ({
      ...transcriber(named(name), ""),
      chain: at("form", model),
    });
    return [
      chatModel(named("chat"), chain("charge-chat"), { pricing: { input: "1", output: "4" } }),
      chatModel(named("messages"), at("messages", "claude-haiku-4-5"), perToken),
      chatModel(named("responses"), at("responses", "gpt-5"), perToken),
      chatModel(named("hidden"), thinks, { ...perToken, reasoning: "hidden" }),
      form("form", "whisper-1"),
      form("form-stream", "gpt-4o-transcribe"),
      {
        ...unitModel("embeddings", named("embeddings"), "", { per: 1_000_000, input: "1" }),
        chain: chain("charge-embeddings", "&usage=70,0"),
      },
      unit("rerank", "rerank", "0.002", ""),
      {
        ...unit("classification", "classification", "0.001", "&pages=7"),
        lane: "taxonomy",
        taxonomies: ["2.1"],
      },
      unit("images", "images", "0.04", ""),
      { ...speechModel(named("speech"), ""), chain: chain("charge-speech") },
      byPath(transcriber(named("transcription"), `hear?${commands}&duration=12`)),
      byPath(reader(named("ocr"), `${commands}&pages=7`)),
      byPath(reader(named("job"), `${commands}&pages=7&running=0`)),
    ];
  });
}
