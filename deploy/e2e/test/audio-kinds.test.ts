import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { bytesPerSecond, oggOpus, wav } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf } from "../src/ledger.ts";
import { liveClient, talk } from "../src/live-client.ts";
import { eventsOf, expectEnvelope, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { transcriptionClient } from "../src/transcription-client.ts";

const { stack, account, lastCall } = await sharedStack();
const files = transcriptionClient(stack, account);
const live = liveClient(stack, account);

describe("providers of audio", () => {
  const speak = (more: Record<string, unknown>) =>
    send(`${stack.url}/v1/audio/speech`, {
      key: account.key,
      body: { input: "Hello there", ...more },
    });

  test.each([
    {
      model: "test-elevenlabs-speech",
      voice: "alto/1",
      provider: "elevenlabs",
      route: "/elevenlabs/v1/text-to-speech/alto%2F1/stream",
      body: { text: "Hello there", model_id: "eleven_v2" },
      query: { output_format: "mp3_44100_128" },
    },
    {
      model: "test-deepgram-speech",
      voice: "aura-2-thalia-en",
      provider: "deepgram",
      route: "/deepgram/v1/speak",
      body: { text: "Hello there" },
      query: { model: "aura-2-thalia-en", encoding: "mp3" },
    },
  ])("$provider speaks a text, which is billed by its characters", async (one) => {
    const response = await speak({ model: one.model, voice: one.voice });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("audio/mpeg");
    expect(Buffer.byteLength(response.text, "utf8")).toBeGreaterThan(0);
    const { body, query, provider, route } = one;
    expect(lastCall()).toMatchObject({ route, authorized: true, body: { body, query } });
    await eventually(async () => {
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry).toMatchObject({ provider, unitType: "chars", quantity: 11n });
    });
  });

  test.each([
    ["test-elevenlabs-speech", "alto", "wav", { output_format: "wav_44100" }, "audio/wav"],
    ["test-elevenlabs-speech", "alto", "pcm", { output_format: "pcm_24000" }, "audio/pcm"],
    [
      "test-deepgram-speech",
      "aura-2-thalia-en",
      "opus",
      { encoding: "opus", container: "ogg" },
      "audio/ogg",
    ],
    [
      "test-deepgram-speech",
      "aura-2-thalia-en",
      "pcm",
      { encoding: "linear16", container: "none", sample_rate: "24000" },
      "audio/wav",
    ],
  ])("%s gets the format in its own words: %s, %s", async (model, voice, format, query, type) => {
    const response = await speak({ model, voice, response_format: format });
    expect(response.headers.get("content-type")).toBe(type);
    expect(lastCall().body).toMatchObject({ query });
  });

  test("a speed goes to the provider that has one", async () => {
    await speak({ model: "test-elevenlabs-speech", voice: "alto", speed: 1.1 });
    expect(lastCall().body).toMatchObject({ body: { voice_settings: { speed: 1.1 } } });
  });

  test.each([
    [{ model: "test-elevenlabs-speech", voice: "a", response_format: "aac" }, "response_format"],
    [{ model: "test-elevenlabs-speech", voice: "a", speed: 2 }, "speed"],
    [{ model: "test-deepgram-speech", voice: "aura-2-thalia-en", speed: 1.1 }, "speed"],
    [{ model: "test-deepgram-speech", voice: "aura-asteria-en" }, "voice"],
  ])("what a provider cannot be sent is refused by name, before it is called: %j", async (body, param) => {
    const calls = stack.simulator.calls.list().length;
    expectEnvelope(await speak(body), 400, "invalid_param", param);
    expect(stack.simulator.calls.list()).toHaveLength(calls);
  });

  test.each([
    ["elevenlabs", { voices: [{ voice_id: "alto" }, {}] }],
    ["deepgram", { tts: [{ canonical_name: "aura-2-thalia-en" }] }],
  ])("the voices of %s are listed as it has them", async (kind, expected) => {
    const url = `${stack.url}/v1/audio/voices?model=test-${kind}-speech`;
    const response = await send(url, { key: account.key, method: "GET" });
    expect(response.body).toMatchObject(expected);
    expect(lastCall().authorized).toBe(true);
  });

  test.each([
    {
      kind: "deepgram",
      request: { query: { model: "nova-3", smart_format: "true", diarize: "true" } },
      languages: [{ query: { detect_language: "true" } }, { query: { language: "de" } }],
      heard: "en",
      speakers: ["0", "1"],
    },
    {
      kind: "elevenlabs",
      request: { fields: { model_id: "scribe_v2", diarize: "true" } },
      languages: [{ fields: {} }, { fields: { language_code: "de" } }],
      heard: "eng",
      speakers: ["speaker_0", "speaker_1"],
    },
  ])("$kind transcribes a file with its speakers, which is billed by its duration", async (one) => {
    const { kind, request, languages, heard, speakers } = one;
    const file = wav(6);
    const response = await files.transcribe({ model: `test-${kind}-hear` }, file, "audio/wav");
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      text: "Simulated transcript. Indeed.",
      language: heard,
      duration: 6,
      segments: [
        { text: "Simulated transcript.", start: 0, end: 4, speaker: speakers[0] },
        { text: "Indeed.", start: 4, end: 6, speaker: speakers[1] },
      ],
      words: [{ word: "Simulated", start: 0, end: 2, speaker: speakers[0] }, {}, {}],
    });
    const call = lastCall();
    expect(call).toMatchObject({ authorized: true, body: request });
    expect(call.body).toMatchObject(languages[0] ?? {});
    expect(call.upload).toMatchObject({ contentType: "audio/wav", bytes: file.length });
    expect(call.upload?.sha256).toBe(createHash("sha256").update(file).digest("hex"));
    await eventually(async () => {
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry).toMatchObject({ provider: kind, quantity: 6n, basis: "provider" });
    });
    await files.transcribe({ model: `test-${kind}-hear`, language: "de" }, file, "audio/wav");
    expect(lastCall().body).toMatchObject(languages[1] ?? {});
  });

  test.each([
    "deepgram",
    "elevenlabs",
  ])("a file whose duration %s does not report is measured by its words", async (kind) => {
    const response = await files.transcribe({ model: `test-${kind}-hear-bare` }, oggOpus);
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry).toMatchObject({ quantity: 3n, basis: "timestamps" });
  });

  test("a file goes on from one vendor to another, each in its own form", async () => {
    const response = await files.transcribe({ model: "test-elevenlabs-hear-down" }, wav(3));
    expect(response.body).toMatchObject({ text: "Simulated transcript. Indeed.", duration: 3 });
    await eventually(async () => {
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry).toMatchObject({ provider: "deepgram", quantity: 3n });
    });
  });

  test("audio that a vendor cannot read, and a response without a transcript, are no transcripts", async () => {
    for (const kind of ["deepgram", "elevenlabs"]) {
      const file = Buffer.from("garbage that is no audio");
      const refused = await files.transcribe({ model: `test-${kind}-hear` }, file);
      expectEnvelope(refused, 502, "upstream_rejected");
      expect(refused.text).toMatch(/corrupt/);
    }
    const unknown = await files.transcribe({ model: "test-deepgram-hear-unknown" });
    expect([502, 503]).toContain(unknown.status);
  });

  test.each([
    ["deepgram", "0", "1", "provider"],
    ["elevenlabs", "speaker_A", "speaker_B", "timestamps"],
  ] as const)("%s transcribes live audio with its speakers", async (kind, first, second, basis) => {
    const stream = await live.start({ model: `test-${kind}-live` });
    talk(stream, 5);
    stream.socket.close(1_000);
    expect(await stream.closed).toBe(1_000);
    const ended = stream.frames.filter(({ type }) => type === "transcription.final");
    expect(ended).toMatchObject([
      { text: "sentence 0", start: 0, end: 2, speaker: first },
      { text: "sentence 1", start: 2, end: 4, speaker: second },
      { text: "sentence 2", start: 4, end: 5, speaker: first },
    ]);
    expect(stream.frames.filter(({ type }) => type === "transcription.partial")).toHaveLength(10);
    expect(lastCall()).toMatchObject({ authorized: true, upload: { bytes: 5 * bytesPerSecond } });
    const entry = await entryOf(stack, account, stream.requestId);
    expect(entry).toMatchObject({ provider: kind, basis, quantity: 5n });
  });

  test("what a vendor says besides is ignored, and its word that all is transcribed ends the stream", async () => {
    const listen = async (kind: string) => {
      const stream = await live.start({ model: `test-${kind}-live-over` });
      talk(stream, 5);
      const startedAt = performance.now();
      stream.socket.close(1_000);
      expect(await stream.closed).toBe(1_000);
      // A provider that stays open is otherwise waited for as long as 8 s.
      expect(performance.now() - startedAt).toBeLessThan(4_000);
      expect(stream.frames.filter(({ type }) => type !== "transcription.partial")).toMatchObject([
        { type: "transcription.final", text: "sentence 0" },
        { type: "transcription.final", text: "sentence 1" },
      ]);
      return entryOf(stack, account, stream.requestId);
    };
    const [deepgram, elevenlabs] = await Promise.all(["deepgram", "elevenlabs"].map(listen));
    expect(deepgram).toMatchObject({ kind: "usage", basis: "provider", quantity: 4n });
    expect(elevenlabs).toMatchObject({ kind: "usage", basis: "timestamps", quantity: 5n });
  });

  test.each([
    "deepgram",
    "elevenlabs",
  ])("a failure that %s reports ends the live stream with an error", async (kind) => {
    const stream = await live.start({ model: `test-${kind}-live-failing` });
    talk(stream, 3);
    await stream.closed;
    expect(stream.frames.at(-1)).toMatchObject({ error: { code: "upstream_rejected" } });
  });

  test.each([
    "deepgram",
    "elevenlabs",
  ])("a file of PCM is streamed to %s as live audio is", async (kind) => {
    const fields = { model: `test-${kind}-live`, stream: "true" };
    const response = await files.transcribe(fields, wav(3), "audio/wav");
    expect(response.status).toBe(200);
    expect(eventsOf(response.text)).toEqual([
      expect.objectContaining({ type: "transcription.partial" }),
      ...Array.from({ length: 3 }, () => expect.anything()),
      expect.objectContaining({ type: "transcription.final", text: "sentence 0" }),
      ...Array.from({ length: 2 }, () => expect.anything()),
      expect.objectContaining({ type: "transcription.final", text: "sentence 1" }),
      "[DONE]",
    ]);
    await eventually(async () => {
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry).toMatchObject({ provider: kind, quantity: 3n });
    });
  });

  test("a refusal says what the provider says", async () => {
    const eleven = await speak({ model: "test-elevenlabs-speech-invalid", voice: "alto" });
    expectEnvelope(eleven, 502, "upstream_rejected");
    expect(eleven.text).toContain("no such voice");
    const voice = "aura-2-en?status=400&message=bad%20text";
    const deepgram = await speak({ model: "test-deepgram-speech", voice });
    expectEnvelope(deepgram, 502, "upstream_rejected");
    expect(deepgram.text).toContain("bad text");
  });
});
