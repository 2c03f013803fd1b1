import type { JsonObject } from "@tollgate/core/json";
import { createUnknowns } from "@tollgate/core/testing/unknowns";
import { expect, test } from "vitest";
import { bedrockRerank } from "./bedrock/rerank.ts";
import { cohereEmbeddings } from "./cohere/embeddings.ts";
import { deepgramLive } from "./deepgram/live.ts";
import { deepgramTranscription } from "./deepgram/transcription.ts";
import { elevenlabsLive } from "./elevenlabs/live.ts";
import { elevenlabsTranscription } from "./elevenlabs/transcription.ts";
import { googleEmbeddings } from "./google/embeddings.ts";
import { googleImages } from "./google/image-generation.ts";
import { vendors } from "./index.ts";
import { formTranscriptEvents } from "./openai/transcript-events.ts";

const runs = 100;
const { signal } = new AbortController();

const words = [
  { word: "hello", start: 0, end: 0.5, confidence: 0.9, speaker: 0, punctuated_word: "Hello" },
  { word: "there", start: 0.7, end: 1, confidence: 0.9, speaker: 1, punctuated_word: "there." },
];
const alternatives = [{ transcript: "Hello there.", confidence: 0.9, words }];
const spoken = [
  { text: "Hello", start: 0, end: 0.5, type: "word", speaker_id: "speaker_0" },
  { text: " ", start: 0.5, end: 0.5, type: "spacing", speaker_id: "speaker_0" },
  { text: "there.", start: 0.5, end: 1.2, type: "word", speaker_id: "speaker_1" },
];
const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };

/** A response of a vendor, or a message of its live session, and how it is read. */
const cases: readonly [name: string, value: JsonObject, read: (value: JsonObject) => unknown][] = [
  [
    "deepgram's transcript of a file",
    {
      metadata: { duration: 2 },
      results: { channels: [{ alternatives, detected_language: "en" }] },
    },
    (value) => deepgramTranscription.response(value),
  ],
  [
    "deepgram's live result",
    { type: "Results", start: 0, duration: 2, is_final: true, channel: { alternatives } },
    (value) => deepgramLive.event(value, false),
  ],
  [
    "elevenlabs' transcript of a file",
    { text: "Hello there.", language_code: "en", audio_duration_secs: 2, words: spoken },
    (value) => elevenlabsTranscription.response(value),
  ],
  [
    "elevenlabs' live transcript",
    { message_type: "committed_transcript_with_timestamps", text: "Hello there.", words: spoken },
    (value) => elevenlabsLive.event(value, false),
  ],
  [
    "elevenlabs' end",
    { message_type: "commit_throttled", error: "Only 0.00s of audio." },
    (value) => elevenlabsLive.event(value, true),
  ],
  [
    "google's images",
    { candidates: [{ content: { parts: [image] }, finishReason: "STOP" }] },
    (value) => googleImages.response(value, {}),
  ],
  [
    "google's embeddings",
    { embeddings: { values: [0.5] }, usageMetadata: { promptTokenCount: 3 } },
    ({ embeddings, ...value }) =>
      googleEmbeddings.response({ ...value, embeddings: [embeddings] }, {}),
  ],
  [
    "cohere's embeddings",
    { id: "1", embeddings: { float: [[0.5]] }, meta: { billed_units: { input_tokens: 3 } } },
    (value) => cohereEmbeddings.response(value, {}),
  ],
  [
    "bedrock's ranking",
    { results: [{ index: 1, relevanceScore: 0.9 }] },
    (value) => bedrockRerank.response(value, {}),
  ],
];

test.each(cases)("what a vendor adds changes nothing: %s", (_, value, read) => {
  const expected = read(value);
  for (let seed = 1; seed <= runs; seed += 1) {
    expect(read(createUnknowns(seed).addTo(value)), `seed ${seed}`).toEqual(expected);
  }
});

test("what a vendor adds changes nothing: a streamed transcript", async () => {
  const usage = { type: "tokens", input_tokens: 14, input_token_details: { audio_tokens: 10 } };
  const events: JsonObject[] = [
    { type: "transcript.text.delta", delta: "Hello " },
    { type: "transcript.text.delta", delta: "there." },
    { type: "transcript.text.done", text: "Hello there.", usage },
  ];
  const read = async (values: readonly JsonObject[]) => {
    const lines = values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join(": ping\n\n");
    const chunks = async function* () {
      yield Buffer.from(lines);
    };
    const body = { [Symbol.asyncIterator]: chunks, letEnd() {} };
    const response = { status: 200, contentType: "text/event-stream", body };
    const found: unknown[] = [];
    for await (const one of formTranscriptEvents(response, vendors.openai, signal)) found.push(one);
    return found;
  };
  const expected = await read(events);
  expect(expected).toHaveLength(4);
  for (let seed = 1; seed <= runs; seed += 1) {
    const unknowns = createUnknowns(seed, { free: ["usage"] });
    const all = unknowns.among(unknowns.addTo(events), (type, value) => ({ ...value, type }));
    expect(await read(all), `seed ${seed}`).toEqual(expected);
  }
});
