import { toFile } from "openai";
import { describe, expect, test } from "vitest";
import { flac, oggOpus, pcm, wav } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf, readWalletRow } from "../src/ledger.ts";
import { sha256 } from "../src/provider-uploads.ts";
import { named } from "../src/raw-form.ts";
import { eventsOf, expectEnvelope, requestIdOf } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { audioForm, transcriptionClient } from "../src/transcription-client.ts";

const { stack, account, client, lastCall } = await sharedStack();
const audio = transcriptionClient(stack, account);

const fieldsSent = () => (lastCall().body as { fields: object }).fields;
const sentence = "Simulated transcript. Indeed.";

describe("transcription by a provider that takes OpenAI's form", () => {
  test("the openai client's request reaches the provider, field by field", async () => {
    const file = wav(2);
    const transcript = await client.audio.transcriptions.create({
      model: "test-form-whisper",
      file: await toFile(file, "my speech.wav", { type: "audio/wav" }),
      language: "de",
      prompt: "Names: Ada",
      temperature: 0.2,
      response_format: "verbose_json",
      timestamp_granularities: ["word", "segment"],
    });
    expect(transcript).toMatchObject({ text: sentence, duration: 2, language: "de" });
    expect(fieldsSent()).toEqual({
      model: "whisper-1",
      language: "de",
      prompt: "Names: Ada",
      temperature: "0.2",
      response_format: "verbose_json",
      "timestamp_granularities[]": ["word", "segment"],
    });
    const upload = { contentType: "audio/wav", bytes: file.length, sha256: sha256(file) };
    expect(lastCall().upload).toMatchObject(upload);
  });

  test("only what the client sets is sent; formats that are not JSON are not asked for", async () => {
    for (const response_format of ["text", "srt", "vtt", "whatever", "json", ""]) {
      const response = await audio.transcribe({
        model: "test-form-gpt",
        response_format,
        prompt: "",
      });
      expect(response.body).toMatchObject({ text: sentence });
      const sent = response_format === "json" ? { response_format } : {};
      expect(fieldsSent()).toEqual({ model: "gpt-4o-transcribe", ...sent });
    }
  });

  test.each([
    ["FLAC of any type", flac, "application/octet-stream", '; filename="audio"'],
    ["Ogg by its bytes", oggOpus, "application/octet-stream", '; filename="blob"'],
    ["MP3 by its type", Buffer.from([0xff, 0xfb, 1, 2]), "audio/mpeg", '; filename="a"'],
    ["a name with quotes", wav(1), "audio/wav", '; filename="a %22b%22.wav"'],
  ])("a file has a name that says what it is: %s", async (_, contents, type, name) => {
    const response = await audio.postRaw([
      { head: `${named("file", name)}\r\nContent-Type: ${type}`, contents },
      { head: named("model"), contents: "test-form-whisper" },
    ]);
    expect([response.status, response.body]).toMatchObject([200, { text: sentence }]);
  });

  test.each([
    ["whisper", { quantity: 2n, basis: "provider", amountNanoUsd: -200_000n }],
    ["gpt-seconds", { quantity: 2n, basis: "wav_header", amountNanoUsd: -200_000n }],
    ["whisper-bare", { quantity: 2n, basis: "wav_header", amountNanoUsd: -200_000n }],
    // 4 × 2.5 + 20 × 6 + 6 × 10 micro-USD.
    ["gpt", { quantity: 30n, basis: "provider", amountNanoUsd: -190_000n, unitType: "tokens" }],
    ["azure", { quantity: 30n, basis: "provider", amountNanoUsd: -190_000n, provider: "azure" }],
    // 20 × 6 + 8 × 10: the tokens of 2 seconds, and a quarter of 29 characters.
    ["whisper-tokens", { quantity: 28n, basis: "provider", amountNanoUsd: -200_000n }],
  ])("the usage of %s is billed at its prices", async (name, billed) => {
    const response = await audio.transcribe({ model: `test-form-${name}` }, wav(2));
    expect(response.status).toBe(200);
    await eventually(async () => {
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry).toMatchObject({ kind: "usage", ...billed });
    });
  });

  test("a compressed file at a price by the second is as long as its tokens of audio", async () => {
    const response = await audio.transcribe({ model: "test-form-gpt-seconds" }, oggOpus);
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry).toMatchObject({ basis: "audio_tokens", quantity: 3n });
  });

  test("a hold covers the tokens that the file may have", async () => {
    const own = await stack.newAccount(1);
    const pending = audio.post(audioForm(wav(10), { model: "test-form-gpt-held" }), own.key);
    await eventually(async () => {
      // 100 tokens of audio and 80 of text.
      expect((await readWalletRow(stack, own)).held).toBe(1_400_000n);
    });
    stack.simulator.release();
    expect((await pending).status).toBe(200);
  });

  test("members that are not known, and members that are missing, break no transcript", async () => {
    for (const [body, billed] of [
      [{ text: "Hi", usage: { type: "tokens", total_tokens: 30, is_new: {} }, error: null }, 30n],
      [{ text: "Hi", usage: { prompt_tokens: 4, completion_tokens: 6, total_tokens: 40 } }, 40n],
      [{ text: "Hi", usage: { prompt_audio_seconds: 2, is_new: [] }, x_groq: { id: "r" } }, 21n],
      [{ text: "Hi", usage: null, segments: null, words: [null, 5], logprobs: [{}] }, 21n],
      [{ segments: [{ text: "Hi", start: 0, end: 2 }], languages: [] }, 20n],
      // Without an output or a total, a quarter of the 5 characters.
      [{ text: "Hello", usage: { input_tokens: 20 } }, 22n],
    ] as const) {
      stack.simulator.replies.set("odd-transcript", { body });
      const response = await audio.transcribe({ model: "test-form-odd" }, wav(2));
      expect([response.status, response.body]).toEqual([200, body]);
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry).toMatchObject({ kind: "usage", quantity: billed });
    }
  });

  test("a chain may mix the wires; what only one of them has is refused by name", async () => {
    const mixed = await audio.transcribe({ model: "test-form-mixed", prompt: "p" }, wav(1));
    expect(mixed.body).toMatchObject({ text: "simulated transcript" });
    const name = "timestamp_granularities[]";
    for (const model of ["test-form-mixed", "test-hear", "no-such-model"]) {
      const refused = await audio.transcribe({ model, [name]: "word" });
      expectEnvelope(refused, 400, "unknown_param", name);
    }
    const down = await audio.transcribe({ model: "test-form-down", prompt: "p" }, wav(1));
    expect(down.body).toMatchObject({ text: sentence });
    expect(fieldsSent()).toEqual({ model: "gpt-4o-transcribe", prompt: "p" });
    const wrong = await audio.transcribe({ model: "test-form-gpt", [name]: "minute" });
    expectEnvelope(wrong, 400, "invalid_param", name);
  });

  test("what the provider refuses is a 502 with its words, at no charge", async () => {
    for (const [fields, file, words] of [
      [{}, Buffer.from("garbage in"), "could not be decoded"],
      [{ response_format: "verbose_json" }, wav(1), "is not compatible"],
    ] as const) {
      const response = await audio.transcribe({ model: "test-form-gpt", ...fields }, file);
      expectEnvelope(response, 502, "upstream_rejected");
      expect(response.text).toContain(words);
      expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
        kind: "failure",
      });
    }
  });
});

describe("a transcript that such a provider streams", () => {
  const stream = (name: string, file = wav(2)) =>
    audio.transcribe({ model: `test-form-${name}`, stream: "true" }, file, "audio/wav");
  const partial = (text: string) => ({ type: "transcription.partial", text });
  const final = (text: string, more = {}) => ({ type: "transcription.final", text, ...more });
  const words = ["Simulated ", "Simulated transcript. ", sentence].map(partial);
  const costs = (seconds: bigint) => ({ quantity: seconds, amountNanoUsd: -100_000n * seconds });

  test.each([
    ["gpt", [...words, final(sentence)], { quantity: 30n, amountNanoUsd: -190_000n }],
    ["azure", [...words, final(sentence)], { quantity: 30n, provider: "azure" }],
    ["gpt-seconds", [...words, final(sentence)], { basis: "pcm_bytes", ...costs(2n) }],
    [
      "diarize",
      [
        ...words,
        final("Simulated", {
          start: 0,
          end: expect.closeTo(2 / 3),
          duration: expect.closeTo(2 / 3),
          speaker: "A",
        }),
        expect.anything(),
        expect.anything(),
      ],
      { basis: "timestamps", ...costs(2n) },
    ],
    // It does not stream.
    ["whisper", [final(sentence, { duration: 2 })], { basis: "provider", ...costs(2n) }],
    ["undone", [...words.slice(0, 2), final("Simulated transcript. ")], costs(2n)],
    ["unstreamed", [...words, final(sentence)], { quantity: 30n, provider: "azure" }],
  ])("has the events of the gateway, and is billed as reported: %s", async (name, events, billed) => {
    const response = await stream(name);
    expect(response.text).toMatch(/^: ping\n\n/);
    expect(eventsOf(response.text)).toEqual([...events, "[DONE]"]);
    await eventually(async () => {
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry).toMatchObject({ kind: "usage", ...billed });
    });
  });

  test("is made of a WAV, though the client sends bare samples", async () => {
    const response = await audio.transcribe(
      { model: "test-form-gpt", stream: "true" },
      pcm(2),
      "audio/L16;rate=16000",
    );
    expect(eventsOf(response.text).at(-1)).toBe("[DONE]");
    expect(fieldsSent()).toEqual({ model: "gpt-4o-transcribe", stream: "true" });
    expect(lastCall().upload).toMatchObject({
      contentType: "audio/wav",
      bytes: pcm(2).length + 44,
    });
  });

  test.each([
    ["cut", costs(2n)],
    // 20 × 6, and 22 characters × 10 / 4.
    ["erring", { quantity: 26n, amountNanoUsd: -180_000n }],
  ])("that breaks ends with an error, and costs the audio that was sent: %s", async (name, billed) => {
    const response = await stream(name);
    expect(eventsOf(response.text)).toEqual([...words.slice(0, 2), { error: expect.anything() }]);
    await eventually(async () => {
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry).toMatchObject({ kind: "usage", basis: "pcm_bytes", ...billed });
    });
  });

  test("has events that are not known, and that other vendors have, which break nothing", async () => {
    for (const [body, events, quantity] of [
      [
        sseOf(
          { type: "transcription.language", audio_language: "en" },
          { type: "transcription.text.delta", text: "Hi" },
          { type: "ping" },
          5,
          {
            type: "transcription.done",
            text: "Hi!",
            usage: { prompt_audio_seconds: 2, is_new: {} },
          },
        ),
        [partial("Hi"), final("Hi!", { duration: 2 })],
        21n,
      ],
      [
        `: hello\n\ndata: {}\n\ndata: nothing\n\n${sseOf({ type: "transcript.text.done", text: "" })}`,
        [final("")],
        20n,
      ],
      [
        sseOf({ type: "transcript.text.done", text: "Hello", usage: { input_tokens: 20 } }),
        [final("Hello")],
        22n,
      ],
      ['data: {"type":"transcript.text.delta","delta":"A"}', [partial("A"), final("A")], 21n],
    ] as const) {
      stack.simulator.replies.set("odd-transcript", { body });
      const response = await stream("odd");
      expect(eventsOf(response.text)).toEqual([...events, "[DONE]"]);
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry).toMatchObject({ kind: "usage", quantity });
    }
  });

  test.each([
    ["the usage", { usage: { type: "duration", seconds: 5 } }, { basis: "provider", ...costs(5n) }],
    ["Mistral's", { usage: { prompt_audio_seconds: 6 } }, { basis: "provider", ...costs(6n) }],
    ["the duration", { duration: 4.2 }, { basis: "provider", ...costs(5n) }],
    ["the file", {}, { basis: "timestamps", ...costs(6n) }],
  ])("costs the silence between its segments as well, by %s", async (_, reported, billed) => {
    const segment = (start: number, end: number) => ({
      type: "transcript.text.segment",
      text: "Hi",
      start,
      end,
    });
    const done = { type: "transcript.text.done", text: "Hi Hi", ...reported };
    const body = sseOf(segment(0, 1), segment(3, 4), done);
    stack.simulator.replies.set("odd-transcript", { body });
    const response = await stream("odd-seconds", wav(6));
    const finals = [0, 3].map((start) => final("Hi", { start, end: start + 1, duration: 1 }));
    expect(eventsOf(response.text)).toEqual([...finals, "[DONE]"]);
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry).toMatchObject({ kind: "usage", ...billed });
  });

  test("costs what the provider reports although the client leaves", async () => {
    const response = await fetch(audio.url, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}` },
      body: audioForm(wav(2), { model: "test-form-slow", stream: "true" }),
    });
    const requestId = response.headers.get("x-request-id");
    await response.body?.cancel();
    stack.simulator.release();
    await eventually(async () => {
      const entry = await entryOf(stack, account, requestId);
      expect(entry).toMatchObject({ kind: "usage", basis: "provider", quantity: 30n });
    });
  });

  test("takes PCM alone, and no other field, as every stream of the route", async () => {
    const flacs = await audio.transcribe({ model: "test-form-gpt", stream: "true" }, flac);
    expectEnvelope(flacs, 400, "unsupported_audio_format", "file");
    const fields = { model: "test-form-gpt", stream: "true", "timestamp_granularities[]": "word" };
    const timed = await audio.transcribe(fields, wav(1));
    expectEnvelope(timed, 400, "invalid_param", "timestamp_granularities[]");
  });
});

function sseOf(...events: readonly unknown[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}
