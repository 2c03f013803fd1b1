import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import { segmentsOf } from "../segments.ts";
import type { TranscriptionAdapter, Word } from "../transcription-adapter.ts";

/** Transcription of files by Deepgram's API, which takes the file as the body. */
export const deepgramTranscription = {
  request: ({ upstreamModel }, { language, contentType, bytes, read }) => ({
    query: {
      model: upstreamModel,
      smart_format: "true",
      diarize: "true",
      ...(language === "" ? { detect_language: "true" } : { language }),
    },
    headers: { "content-type": contentType, "content-length": String(bytes) },
    body: read(),
  }),
  response({ results, metadata }) {
    const channels = isJsonObject(results) ? results.channels : undefined;
    const channel = firstWith("alternatives", channels);
    const alternative = firstWith("transcript", channel?.alternatives);
    if (typeof alternative?.transcript !== "string") {
      throw new SlotFailure("rejected", "the provider's response has no transcript");
    }
    const { duration } = isJsonObject(metadata) ? metadata : {};
    const language = channel?.detected_language;
    const words = deepgramWords(alternative);
    return {
      text: alternative.transcript,
      ...(typeof language === "string" ? { language } : {}),
      ...(typeof duration === "number" ? { duration } : {}),
      segments: segmentsOf(words),
      words,
    };
  },
} satisfies TranscriptionAdapter;

/** Returns the words of an alternative: https://developers.deepgram.com/docs/diarization */
export function deepgramWords({ words }: JsonObject): Word[] {
  return (Array.isArray(words) ? words : []).filter(isJsonObject).flatMap((one) => {
    const { word, punctuated_word: written = word, start, end, speaker } = one;
    if (typeof written !== "string" || typeof start !== "number" || typeof end !== "number") {
      return [];
    }
    const spoken = typeof speaker === "number" ? { speaker: String(speaker) } : {};
    return [{ word: written, start, end, ...spoken }];
  });
}

/** Returns the first object of a list that has a member of this name. */
export function firstWith(name: string, list: unknown): JsonObject | undefined {
  const objects = Array.isArray(list) ? list.filter(isJsonObject) : [];
  return objects.find((one) => one[name] !== undefined);
}
