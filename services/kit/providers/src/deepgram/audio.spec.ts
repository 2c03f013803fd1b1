import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { Slot, SpeechFormat } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import { describe, expect, test } from "vitest";
import { deepgramLive } from "./live.ts";
import { deepgramSpeech } from "./speech.ts";
import { deepgramTranscription } from "./transcription.ts";

const slotOf = (upstreamModel: string, path: string) => ({ upstreamModel, path }) as Slot;
const listen = slotOf("nova-3", "/listen");
const speak = slotOf("aura-2", "/speak");

const plain = {
  contentType: "audio/wav",
  fileName: "speech.wav",
  options: { prompt: "", responseFormat: "", temperature: "", timestampGranularities: [] },
};

/** https://developers.deepgram.com/docs/diarization: the words, as the reference shows them. */
const words = [
  {
    word: "hello",
    start: 0.08,
    end: 0.32,
    confidence: 0.99,
    speaker: 0,
    punctuated_word: "Hello.",
  },
  { word: "hi", start: 0.5, end: 0.7, confidence: 0.98, speaker: 1, punctuated_word: "Hi" },
  { word: "there", start: 0.7, end: 1, confidence: 0.97, speaker: 1, punctuated_word: "there." },
];

/** https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded */
describe("a file transcribed by Deepgram", () => {
  const metadata = {
    transaction_key: "deprecated",
    request_id: "a847f427-4ad5-4d67-9b95-db801e58251c",
    sha256: "154e291ecfa8be6ab8343560bcc109008fa7853eb5372533e8efdefc9b504c33",
    created: "2024-05-12T18:57:13.426Z",
    duration: 25.933313,
    channels: 1,
    models: ["30089e05-99d1-4376-b32e-c263170674af"],
  };

  test("is the body of the request, whose options are in the query", async () => {
    const { query, headers, body } = deepgramTranscription.request(listen, {
      ...plain,
      language: "",
      bytes: 3,
      read: () => Readable.from([Buffer.from("abc")]),
    });
    expect(query).toEqual({
      model: "nova-3",
      smart_format: "true",
      diarize: "true",
      detect_language: "true",
    });
    expect(headers).toEqual({ "content-type": "audio/wav", "content-length": "3" });
    expect(String(await buffer(body as Readable))).toBe("abc");
  });

  test("has the language that the client names", () => {
    const upload = { ...plain, bytes: 0, read: () => Readable.from([]) };
    const { query } = deepgramTranscription.request(listen, { ...upload, language: "de" });
    expect(query).toMatchObject({ language: "de" });
    expect(query).not.toHaveProperty("detect_language");
  });

  test("has a duration, speakers and a segment for what each says", () => {
    const alternative = { transcript: "Hello. Hi there.", confidence: 0.99, words };
    const channel = {
      alternatives: [alternative],
      detected_language: "en",
      language_confidence: 0.9,
    };
    const response = { metadata, results: { channels: [channel] } };
    expect(deepgramTranscription.response(response)).toEqual({
      text: "Hello. Hi there.",
      language: "en",
      duration: 25.933313,
      segments: [
        { text: "Hello.", start: 0.08, end: 0.32, speaker: "0" },
        { text: "Hi there.", start: 0.5, end: 1, speaker: "1" },
      ],
      words: [
        { word: "Hello.", start: 0.08, end: 0.32, speaker: "0" },
        { word: "Hi", start: 0.5, end: 0.7, speaker: "1" },
        { word: "there.", start: 0.7, end: 1, speaker: "1" },
      ],
    });
  });

  test.each([
    [{ metadata }],
    [{ metadata, results: { channels: [] } }],
    [{ metadata, results: { channels: [{ alternatives: [] }] } }],
  ])("is no transcript without one: %j", (response) => {
    expect(() => deepgramTranscription.response(response)).toThrow("no transcript");
  });
});

/** https://developers.deepgram.com/reference/speech-to-text/listen-streaming */
describe("a live stream of Deepgram", () => {
  const results = (transcript: string, more: JsonObject): JsonObject => ({
    type: "Results",
    channel_index: [0, 1],
    start: 5.99,
    duration: 1.98,
    speech_final: true,
    channel: { alternatives: [{ transcript, confidence: 0.99, words: words.slice(1) }] },
    metadata: { request_id: "8ad27ca3-34c3-41a3-abcf-ff4dbf4f2bb1", model_uuid: "3008" },
    from_finalize: false,
    ...more,
  });

  test("is of the format that the gateway sends", () => {
    expect(deepgramLive.query(listen)).toMatchObject({
      model: "nova-3",
      encoding: "linear16",
      sample_rate: "16000",
      channels: "1",
    });
    const chunk = Buffer.from([1, 2]);
    expect(deepgramLive.audio(chunk)).toBe(chunk);
    expect(JSON.parse(deepgramLive.end)).toEqual({ type: "CloseStream" });
    expect(JSON.parse(deepgramLive.keepAlive?.frame ?? "")).toEqual({ type: "KeepAlive" });
  });

  test.each<[string, JsonObject, JsonObject | undefined]>([
    [
      "an interim result",
      results("Hi", { is_final: false }),
      { type: "transcription.partial", text: "Hi", start: 5.99, end: 7.97, speaker: "1" },
    ],
    [
      "a final result",
      results("Hi there.", { is_final: true }),
      {
        type: "transcription.final",
        text: "Hi there.",
        start: 5.99,
        end: 7.97,
        speaker: "1",
        duration: 1.98,
      },
    ],
    ["an interim silence", results("", { is_final: false }), undefined],
    [
      "a final silence",
      { ...results("", { is_final: true }), channel: { alternatives: [{ transcript: "" }] } },
      { type: "transcription.final", text: "", start: 5.99, end: 7.97, duration: 1.98 },
    ],
    [
      "an error",
      { type: "Error", description: "The stream timed out.", variant: "NET-0001" },
      { type: "error" },
    ],
    ["metadata", { type: "Metadata", request_id: "8ad27ca3", duration: 7.97 }, undefined],
    ["the end of an utterance", { type: "UtteranceEnd", last_word_end: 2.39 }, undefined],
  ])("has the event for %s", (_, given, event) => {
    expect(deepgramLive.event(given, false)).toEqual(event);
  });

  test("ends with the metadata that follow the end of the audio", () => {
    expect(deepgramLive.event({ type: "Metadata", duration: 7.97 }, true)).toBe("end");
  });
});

/** https://developers.deepgram.com/reference/text-to-speech/speak-request */
describe("speech by Deepgram", () => {
  test.each<[SpeechFormat, Record<string, string>]>([
    ["mp3", { encoding: "mp3" }],
    ["opus", { encoding: "opus", container: "ogg" }],
    ["aac", { encoding: "aac" }],
    ["flac", { encoding: "flac" }],
    ["wav", { encoding: "linear16", container: "wav" }],
    ["pcm", { encoding: "linear16", container: "none", sample_rate: "24000" }],
  ])("is sent with the voice as its model, as %s", (response_format, output) => {
    const voice = "aura-2-thalia-en";
    expect(deepgramSpeech.request(speak, { input: "Hello.", voice, response_format })).toEqual({
      path: "/speak",
      query: { model: voice, ...output },
      body: { text: "Hello." },
    });
  });

  test.each([
    ["voice", { voice: "aura-asteria-en" }],
    ["speed", { voice: "aura-2-thalia-en", speed: 1.1 }],
  ])("is refused by name: %s", (param, more) => {
    expect(() => deepgramSpeech.request(speak, { input: "Hello.", ...more })).toThrow(
      expect.objectContaining({ code: "invalid_param", param }),
    );
  });
});
