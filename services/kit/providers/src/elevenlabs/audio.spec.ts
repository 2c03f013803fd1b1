import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { Slot, SpeechFormat } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import { describe, expect, test } from "vitest";
import { elevenlabsLive } from "./live.ts";
import { elevenlabsSpeech } from "./speech.ts";
import { elevenlabsTranscription } from "./transcription.ts";

const slotOf = (upstreamModel: string, path: string) => ({ upstreamModel, path }) as Slot;
const scribe = slotOf("scribe_v2", "/speech-to-text");
const speaker = slotOf("eleven_v2", "/text-to-speech");

/** The words of the reference: the spaces between them are words of their own. */
const words = [
  { text: "Hello", start: 0, end: 0.5, type: "word", speaker_id: "speaker_0", logprob: -0.124 },
  { text: " ", start: 0.5, end: 0.5, type: "spacing", speaker_id: "speaker_0", logprob: 0 },
  { text: "world!", start: 0.5, end: 1.2, type: "word", speaker_id: "speaker_0", logprob: -0.089 },
];

const plain = {
  contentType: "audio/wav",
  fileName: "speech.wav",
  options: { prompt: "", responseFormat: "", temperature: "", timestampGranularities: [] },
};

/** https://elevenlabs.io/docs/api-reference/speech-to-text/convert */
describe("a file transcribed by ElevenLabs", () => {
  test.each([
    ["", undefined],
    ["de", "de"],
  ])("is in a form with its options; language: %j", async (language, sent) => {
    const { headers, body } = elevenlabsTranscription.request(scribe, {
      ...plain,
      language,
      bytes: 3,
      read: () => Readable.from([Buffer.from("abc")]),
    });
    const bytes = await buffer(body as Readable);
    expect(headers["content-length"]).toBe(String(bytes.length));
    const form = await new Response(new Uint8Array(bytes), {
      headers: { "content-type": String(headers["content-type"]) },
    }).formData();
    const { file, ...fields } = Object.fromEntries(form);
    expect(fields).toEqual({
      model_id: "scribe_v2",
      diarize: "true",
      tag_audio_events: "false",
      ...(sent === undefined ? {} : { language_code: sent }),
    });
    expect(file).toMatchObject({ type: "audio/wav" });
    expect(await (file as Blob).text()).toBe("abc");
  });

  test("has the duration of the audio, and its words without the spaces", () => {
    const response = {
      language_code: "en",
      language_probability: 0.98,
      text: "Hello world!",
      words,
      transcription_id: "t_1",
      audio_duration_secs: 1.4,
    };
    expect(elevenlabsTranscription.response(response)).toEqual({
      text: "Hello world!",
      language: "en",
      duration: 1.4,
      segments: [{ text: "Hello world!", start: 0, end: 1.2, speaker: "speaker_0" }],
      words: [
        { word: "Hello", start: 0, end: 0.5, speaker: "speaker_0" },
        { word: "world!", start: 0.5, end: 1.2, speaker: "speaker_0" },
      ],
    });
  });

  test("is no transcript without a text", () => {
    expect(() => elevenlabsTranscription.response({ language_code: "en" })).toThrow(
      "no transcript",
    );
  });
});

/** https://elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime */
describe("a live stream of ElevenLabs", () => {
  test("is of the format that the gateway sends, in frames of base64", () => {
    expect(elevenlabsLive.query(slotOf("scribe_v2_realtime", "/x"))).toEqual({
      model_id: "scribe_v2_realtime",
      audio_format: "pcm_16000",
      commit_strategy: "vad",
      include_timestamps: "true",
    });
    const frame = { message_type: "input_audio_chunk", sample_rate: 16_000 };
    expect(JSON.parse(String(elevenlabsLive.audio(Buffer.from("ab"))))).toEqual({
      ...frame,
      audio_base_64: "YWI=",
      commit: false,
    });
    expect(JSON.parse(elevenlabsLive.end)).toEqual({ ...frame, audio_base_64: "", commit: true });
  });

  test.each<[string, JsonObject, JsonObject | undefined]>([
    ["the start", { message_type: "session_started", session_id: "s", config: {} }, undefined],
    [
      "a partial transcript",
      { message_type: "partial_transcript", text: "Hello" },
      { type: "transcription.partial", text: "Hello" },
    ],
    [
      "a committed transcript, which comes again with its times",
      { message_type: "committed_transcript", text: "Hello world!" },
      undefined,
    ],
    [
      "a committed transcript with times",
      {
        message_type: "committed_transcript_with_timestamps",
        text: "Hello world!",
        language_code: "en",
        words,
      },
      {
        type: "transcription.final",
        text: "Hello world!",
        start: 0,
        end: 1.2,
        speaker: "speaker_0",
      },
    ],
    ["an error", { message_type: "quota_exceeded", error: "No quota is left." }, { type: "error" }],
  ])("has the event for %s", (_, given, event) => {
    expect(elevenlabsLive.event(given, false)).toEqual(event);
  });

  test.each<[string, JsonObject, unknown, unknown]>([
    ["commit_throttled", { error: "Only 0.00s of audio." }, undefined, "end"],
    ["insufficient_audio_activity", { error: "No speech." }, undefined, "end"],
    ["input_error", { error: "No audio." }, { type: "error" }, "end"],
    ["session_time_limit_exceeded", { error: "Too long." }, { type: "error" }, { type: "error" }],
    ["new_error", { error: "It failed." }, { type: "error" }, { type: "error" }],
    ["new_kind", { error: null, text: "x" }, undefined, undefined],
    ["warning", { warning: "Almost." }, undefined, undefined],
  ])("has for %s an event that depends on the end of the audio", (message_type, more, before, after) => {
    expect(elevenlabsLive.event({ message_type, ...more }, false)).toEqual(before);
    expect(elevenlabsLive.event({ message_type, ...more }, true)).toEqual(after);
  });
});

/** https://elevenlabs.io/docs/api-reference/text-to-speech/stream */
describe("speech by ElevenLabs", () => {
  test.each<[SpeechFormat, string, string]>([
    ["mp3", "mp3_44100_128", "/stream"],
    ["opus", "opus_48000_128", "/stream"],
    ["wav", "wav_44100", ""],
    ["pcm", "pcm_24000", "/stream"],
  ])("has the voice in its path, and the format %s as %s", (response_format, output_format, end) => {
    const voice = "JBFqnCBsd6RMkjVDRZzb/1";
    const members = { input: "Hello.", voice, response_format };
    expect(elevenlabsSpeech.request(speaker, members)).toEqual({
      path: `/text-to-speech/JBFqnCBsd6RMkjVDRZzb%2F1${end}`,
      query: { output_format },
      body: { text: "Hello.", model_id: "eleven_v2" },
    });
  });

  test("has a speed among the settings of the voice", () => {
    const members = { input: "Hello.", voice: "a", speed: 1.1 };
    expect(elevenlabsSpeech.request(speaker, members).body).toEqual({
      text: "Hello.",
      model_id: "eleven_v2",
      voice_settings: { speed: 1.1 },
    });
  });

  test.each([
    ["response_format", { response_format: "aac" as const }],
    ["speed", { speed: 1.3 }],
    ["speed", { speed: 0.6 }],
  ])("is refused by name: %s, %j", (param, more) => {
    const members = { input: "Hello.", voice: "a", ...more };
    expect(() => elevenlabsSpeech.request(speaker, members)).toThrow(
      expect.objectContaining({ code: "invalid_param", param }),
    );
  });
});
