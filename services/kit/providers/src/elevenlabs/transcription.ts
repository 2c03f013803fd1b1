import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import { formWithFile } from "../form-with-file.ts";
import { segmentsOf } from "../segments.ts";
import type { TranscriptionAdapter, Word } from "../transcription-adapter.ts";

/** Transcription of files by ElevenLabs' API, which takes a form. */
export const elevenlabsTranscription = {
  request({ upstreamModel }, upload) {
    const { language } = upload;
    return formWithFile(
      [
        ["model_id", upstreamModel],
        ["diarize", "true"],
        ["tag_audio_events", "false"],
        ["language_code", language],
      ],
      upload,
    );
  },
  response({ text, language_code: language, audio_duration_secs: duration, ...value }) {
    if (typeof text !== "string") {
      throw new SlotFailure("rejected", "the provider's response has no transcript");
    }
    const words = elevenlabsWords(value);
    return {
      text,
      ...(typeof language === "string" ? { language } : {}),
      ...(typeof duration === "number" ? { duration } : {}),
      segments: segmentsOf(words),
      words,
    };
  },
} satisfies TranscriptionAdapter;

/** Returns the words of a transcript, without the spaces between them. */
export function elevenlabsWords({ words }: JsonObject): Word[] {
  return (Array.isArray(words) ? words : []).filter(isJsonObject).flatMap((one) => {
    const { text, start, end, type, speaker_id: speaker } = one;
    if (type !== "word" || typeof text !== "string") return [];
    if (typeof start !== "number" || typeof end !== "number") return [];
    return [{ word: text, start, end, ...(typeof speaker === "string" ? { speaker } : {}) }];
  });
}
