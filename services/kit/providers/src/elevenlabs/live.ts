import type { JsonObject } from "@tollgate/core/json";
import type { LiveAdapter } from "../live-adapter.ts";
import { elevenlabsWords } from "./transcription.ts";

const sampleRate = 16_000;

/**
 * What the reference lists among the errors, and is none: a commit of less than 0.3 s of audio, and audio
 * without speech.
 */
const notices: ReadonlySet<string> = new Set(["commit_throttled", "insufficient_audio_activity"]);

/** Of these, the last one is about the empty commit that ends the audio: nothing is left to transcribe. */
const ends: ReadonlySet<string> = new Set([...notices, "input_error"]);

/**
 * Live transcription by ElevenLabs' API:
 * https://elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime. Its events have no
 * durations, so the time of the stream is billed.
 */
export const elevenlabsLive: LiveAdapter = {
  query: ({ upstreamModel }) => ({
    model_id: upstreamModel,
    audio_format: `pcm_${sampleRate}`,
    commit_strategy: "vad",
    include_timestamps: "true",
  }),
  audio: (chunk) => frameOf(Buffer.from(chunk).toString("base64"), false),
  end: frameOf("", true),
  event(value, hasEnded) {
    const { message_type: type, text, error } = value;
    if (typeof type !== "string") return undefined;
    if (type === "partial_transcript") return { type: "transcription.partial", text };
    if (type === "committed_transcript_with_timestamps") return finalOf(value);
    if (hasEnded && ends.has(type)) return "end";
    return notices.has(type) || !error ? undefined : { type: "error" };
  },
};

function frameOf(audio: string, commit: boolean): string {
  return JSON.stringify({
    message_type: "input_audio_chunk",
    audio_base_64: audio,
    commit,
    sample_rate: sampleRate,
  });
}

function finalOf(value: JsonObject): JsonObject {
  const words = elevenlabsWords(value);
  const [first, last] = [words[0], words.at(-1)];
  return {
    type: "transcription.final",
    text: value.text,
    ...(first && { start: first.start }),
    ...(last && { end: last.end }),
    ...(first?.speaker === undefined ? {} : { speaker: first.speaker }),
  };
}
