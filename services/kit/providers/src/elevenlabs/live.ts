import type { JsonObject } from "@tollgate/core/json";
import type { LiveAdapter } from "../live-adapter.ts";
import { elevenlabsWords } from "./transcription.ts";

const sampleRate = 16_000;

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
  event(value) {
    const { message_type: type, text } = value;
    if (typeof type !== "string") return undefined;
    if (type === "partial_transcript") return { type: "transcription.partial", text };
    if (type === "committed_transcript_with_timestamps") return finalOf(value);
    return "error" in value ? { type: "error" } : undefined;
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
