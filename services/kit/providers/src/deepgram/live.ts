import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { LiveAdapter } from "../live-adapter.ts";
import { deepgramWords, firstWith } from "./transcription.ts";

/** The provider closes after ten seconds without a frame: .../docs/audio-keep-alive */
const keepAliveMs = 4_000;

/** Live transcription by Deepgram's API: https://developers.deepgram.com/docs/live-streaming-audio */
export const deepgramLive: LiveAdapter = {
  query: ({ upstreamModel }) => ({
    model: upstreamModel,
    encoding: "linear16",
    sample_rate: "16000",
    channels: "1",
    interim_results: "true",
    smart_format: "true",
    diarize: "true",
  }),
  audio: (chunk) => chunk,
  end: JSON.stringify({ type: "CloseStream" }),
  keepAlive: { frame: JSON.stringify({ type: "KeepAlive" }), everyMs: keepAliveMs },
  event(value, hasEnded) {
    if (value.type === "Error") return { type: "error" };
    // The summary after the last result: https://developers.deepgram.com/docs/close-stream
    if (value.type === "Metadata" && hasEnded) return "end";
    return value.type === "Results" ? resultOf(value) : undefined;
  },
};

/** A result that is final has the seconds of its audio, also where nobody speaks in it. */
function resultOf({ channel, start, duration, is_final: isFinal }: JsonObject) {
  const alternative = firstWith(
    "transcript",
    isJsonObject(channel) ? channel.alternatives : undefined,
  );
  const text = alternative?.transcript;
  if (typeof text !== "string" || typeof start !== "number" || typeof duration !== "number") {
    return undefined;
  }
  if (text === "" && isFinal !== true) return undefined;
  const { speaker } = deepgramWords(alternative ?? {})[0] ?? {};
  // To the microsecond: a sum of two times has digits that neither has.
  const end = Math.round((start + duration) * 1e6) / 1e6;
  const times = { start, end, ...(speaker === undefined ? {} : { speaker }) };
  return isFinal === true
    ? { type: "transcription.final", text, ...times, duration }
    : { type: "transcription.partial", text, ...times };
}
