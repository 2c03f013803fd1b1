import { z } from "zod";
import type { LiveEvent } from "./transcriber.ts";

/** How one vendor's WebSocket carries audio and events. */
export interface LiveWire {
  path: string;
  /** Validates the query of the upgrade, and returns the model id, which has the commands. */
  query: z.ZodType<{ model: string }>;
  /** Returns the audio of a frame, its end, or undefined for a frame that changes nothing. */
  read(data: Buffer, isBinary: boolean): Buffer | "end" | undefined;
  /** Returns an event as the vendor sends it. */
  write(event: LiveEvent): object;
  /** The event that a failure sends. */
  failure: object;
  /** What the vendor says, in place of the last results, where the end leaves it nothing to transcribe. */
  nothingLeft?: object;
  /** Messages that a client must ignore. */
  others?: readonly object[];
}

const message = "the simulator was commanded to fail";

const gatewayWire: LiveWire = {
  path: "/v1/audio/stream",
  query: z.looseObject({ model: z.string().default("") }),
  read: (data, isBinary) => (isBinary ? data : "end"),
  write: (event) => event,
  failure: { error: { message } },
};

const flag = z.enum(["true", "false"]).optional();

/** https://developers.deepgram.com/reference/speech-to-text/listen-streaming */
const deepgramWire: LiveWire = {
  path: "/deepgram/v1/listen",
  query: z.strictObject({
    model: z.string().min(1),
    encoding: z.literal("linear16"),
    sample_rate: z.literal("16000"),
    channels: z.literal("1").optional(),
    interim_results: flag,
    smart_format: flag,
    diarize: flag,
  }),
  read(data, isBinary) {
    if (isBinary) return data;
    const { type } = z.object({ type: z.string() }).parse(JSON.parse(data.toString("utf8")));
    return type === "CloseStream" ? "end" : undefined;
  },
  write({ type, text, start = 0, end = start, speaker, duration }) {
    // The summary after the last result.
    if (type === "transcription.refine") return { type: "Metadata", duration: end, channels: 1 };
    const words = text.split(" ").map((word) => ({
      word,
      start,
      end,
      confidence: 0.9,
      speaker: speaker === "A" ? 0 : 1,
      punctuated_word: word,
    }));
    return {
      type: "Results",
      channel_index: [0, 1],
      start,
      duration: duration ?? end - start,
      is_final: type === "transcription.final",
      speech_final: false,
      channel: { alternatives: [{ transcript: text, confidence: 0.9, words }] },
    };
  },
  failure: { type: "Error", description: message, variant: "UNKNOWN" },
  nothingLeft: { type: "Metadata", duration: 0, channels: 1 },
  others: [
    { type: "SpeechStarted", channel: [0], timestamp: 0 },
    { type: "UtteranceEnd", channel: [0, 1], last_word_end: 1 },
    { type: "Metadata", duration: 0 },
    { type: "Warning", description: "simulated" },
    { type: "NewKind", error: null, channel: {} },
  ],
};

const elevenlabsFrame = z.strictObject({
  message_type: z.literal("input_audio_chunk"),
  audio_base_64: z.string(),
  commit: z.boolean(),
  sample_rate: z.literal(16_000),
});

/** https://elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime */
const elevenlabsWire: LiveWire = {
  path: "/elevenlabs/v1/speech-to-text/realtime",
  query: z
    .strictObject({
      model_id: z.string().min(1),
      audio_format: z.literal("pcm_16000"),
      commit_strategy: z.enum(["vad", "manual"]).optional(),
      include_timestamps: flag,
    })
    .transform(({ model_id: model }) => ({ model })),
  read(data) {
    const frame = elevenlabsFrame.parse(JSON.parse(data.toString("utf8")));
    return frame.commit ? "end" : Buffer.from(frame.audio_base_64, "base64");
  },
  write({ type, text, start = 0, end = start, speaker }) {
    if (type === "transcription.partial") return { message_type: "partial_transcript", text };
    if (type === "transcription.refine") return { message_type: "committed_transcript", text };
    const words = [{ text, start, end, type: "word", speaker_id: `speaker_${speaker}` }];
    return {
      message_type: "committed_transcript_with_timestamps",
      text,
      language_code: "en",
      words,
    };
  },
  failure: { message_type: "transcriber_error", error: message },
  nothingLeft: {
    message_type: "commit_throttled",
    error: "Commit request ignored: only 0.00s of uncommitted audio.",
  },
  others: [
    { message_type: "session_started", session_id: "s", config: {} },
    { message_type: "warning", warning: "simulated" },
    { message_type: "new_kind", error: null, text: 5 },
    { error: "without a type" },
  ],
};

/** The wires by the path of their upgrade. */
export const liveWires: ReadonlyMap<string, LiveWire> = new Map(
  [gatewayWire, deepgramWire, elevenlabsWire].map((wire) => [wire.path, wire]),
);
