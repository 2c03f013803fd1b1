import { after, faulty, slot, speechModel, transcriber } from "./entries.ts";

/** Speech and transcription. */
export function audioModels() {
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
    ...formModels(),
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
    transcriber("test-hear-measured", "hear?no_duration", { unreported: "measured" }),
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
    transcriber("test-hear-dying-late", "hear?die_after=12&drain_ms=100"),
    transcriber("test-hear-reporting-late", "hear?fail_after=12&drain_ms=100"),
    transcriber("test-hear-closing", "hear?close_after=3"),
    transcriber("test-hear-closing-at-once", "hear?close_after=0"),
    transcriber("test-hear-idle", "hear?idle_ms=300"),
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

/** Models of providers that take OpenAI's form, priced by the second or by the token. */
function formModels() {
  const bySecond = { per: 1, price: "0.0001" };
  const byToken = { per: 1_000_000, input: "2.5", audio_input: "6", output: "10" };
  const listener = (name: string, chain: object[], pricing: object) => ({
    ...transcriber(`test-form-${name}`, "", { pricing }),
    chain,
  });
  const gpt = "gpt-4o-transcribe";
  return [
    listener("whisper", [slot("forms", "whisper-1")], bySecond),
    listener("whisper-tokens", [slot("forms", "whisper-1")], byToken),
    listener("whisper-bare", [slot("forms", "whisper-1?no_usage")], bySecond),
    listener("gpt", [slot("forms", gpt)], byToken),
    listener("gpt-seconds", [slot("forms", gpt)], bySecond),
    listener("gpt-held", [slot("forms", `${gpt}?delay_ms=3500`)], byToken),
    listener("diarize", [slot("forms", `${gpt}-diarize`)], bySecond),
    listener("azure", [slot("azure", gpt)], byToken),
    listener("mixed", [slot("forms", `${gpt}?status=503`), slot("sim", "hear")], bySecond),
    listener("down", [slot("forms", `${gpt}?status=503`), slot("azure", gpt)], byToken),
    listener("odd", [slot("forms", `${gpt}?reply_id=odd-transcript`)], byToken),
    listener("odd-seconds", [slot("forms", `${gpt}?reply_id=odd-transcript`)], bySecond),
    listener("slow", [slot("forms", `${gpt}?gap_ms=1000`)], byToken),
    listener("cut", [slot("forms", `${gpt}?cut_after=2`)], bySecond),
    listener("erring", [slot("forms", `${gpt}?error_event=2`)], byToken),
    listener("undone", [slot("forms", `${gpt}?end_after=2&comment`)], bySecond),
    listener("unstreamed", [slot("forms", `${gpt}?error_event=0`), slot("azure", gpt)], byToken),
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
    speaker("test-elevenlabs-speech-invalid", [slot("elevenlabs", invalid)]),
    speaker("test-deepgram-speech", [slot("deepgram", "aura-2")]),
    listener("test-elevenlabs-hear", [slot("elevenlabs", "scribe_v2")]),
    listener("test-elevenlabs-hear-bare", [slot("elevenlabs", "scribe_v2?no_duration")]),
    listener("test-deepgram-hear-bare", [slot("deepgram", "nova-3?no_duration")]),
    listener("test-elevenlabs-hear-down", [
      slot("elevenlabs", "scribe_v2?status=503"),
      slot("deepgram", "nova-3"),
    ]),
    listener("test-elevenlabs-live", [realtime]),
    listener("test-elevenlabs-live-failing", [
      { ...realtime, model: "scribe_v2_realtime?fail_after=1" },
    ]),
    listener("test-elevenlabs-live-over", [
      { ...realtime, model: "scribe_v2_realtime?nothing_left&others" },
    ]),
    listener("test-deepgram-live-over", [{ ...deepgramLive, model: "nova-3?nothing_left&others" }]),
    listener("test-deepgram-hear", [slot("deepgram", "nova-3")]),
    listener("test-deepgram-hear-unknown", [slot("deepgram", "nova-3?no_choices")]),
    listener("test-deepgram-live", [deepgramLive]),
    listener("test-deepgram-live-failing", [{ ...deepgramLive, model: "nova-3?fail_after=1" }]),
  ];
}
