import { buffer } from "node:stream/consumers";
import type { Slot } from "@tollgate/catalog/model";
import { describe, expect, test } from "vitest";
import type { SpeechMembers } from "../speech-adapter.ts";
import { googleSpeech } from "./speech.ts";

const slot = {
  upstreamModel: "gemini-2.5-flash-preview-tts",
  path: "/models/gemini-2.5-flash-preview-tts:generateContent",
} as Slot;
const members: SpeechMembers = { input: "Say cheerfully: Have a wonderful day!", voice: "Kore" };
const samples = Buffer.from([1, 0, 2, 0]);

/** https://ai.google.dev/gemini-api/docs/speech-generation */
describe("speech by Gemini", () => {
  async function receive(value: object, more: Partial<SpeechMembers> = {}) {
    const bytes = (async function* () {
      yield Buffer.from(JSON.stringify(value));
    })();
    const body = { [Symbol.asyncIterator]: () => bytes, letEnd() {} };
    const response = { status: 200, contentType: "application/json", body };
    const { signal } = new AbortController();
    const audio = await googleSpeech.response?.(response, { ...members, ...more }, signal);
    if (audio === undefined) throw new Error("there is no audio");
    return { contentType: audio.contentType, bytes: await buffer(audio.body) };
  }

  const spoken = {
    candidates: [
      {
        content: {
          parts: [
            {
              inlineData: {
                mimeType: "audio/L16;codec=pcm;rate=24000",
                data: samples.toString("base64"),
              },
            },
          ],
          role: "model",
        },
        finishReason: "STOP",
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 59, totalTokenCount: 70 },
    modelVersion: "gemini-2.5-flash-preview-tts",
  };

  test("is a WAV of the sample rate that its media type names", async () => {
    const text = JSON.stringify(spoken).replace("rate=24000", "rate=16000");
    const { bytes } = await receive(JSON.parse(text), members);
    expect(bytes.readUInt32LE(24)).toBe(16_000);
  });

  test("is requested as audio, by the name of a voice", () => {
    expect(googleSpeech.request(slot, members)).toEqual({
      path: slot.path,
      query: {},
      body: {
        contents: [{ role: "user", parts: [{ text: members.input }] }],
        generationConfig: {
          responseModalities: ["AUDIO"],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
        },
      },
    });
  });

  test("is WAV by default, with a header for the samples", async () => {
    const { contentType, bytes } = await receive(spoken);
    expect(contentType).toBe("audio/wav");
    expect(bytes.subarray(0, 4).toString()).toBe("RIFF");
    expect(bytes.readUInt32LE(24)).toBe(24_000);
    expect(bytes.readUInt32LE(40)).toBe(samples.length);
    expect(bytes.subarray(44)).toEqual(samples);
  });

  test("is the samples alone as PCM", async () => {
    const { contentType, bytes } = await receive(spoken, { response_format: "pcm" });
    expect([contentType, bytes]).toEqual(["audio/pcm", samples]);
  });

  test("fails without audio, as where a filter has stopped it", async () => {
    const filtered = { candidates: [{ finishReason: "OTHER", index: 0 }] };
    await expect(receive(filtered)).rejects.toMatchObject({ kind: "unusable" });
  });

  test.each([
    ["response_format", { response_format: "mp3" as const }],
    ["speed", { speed: 1.1 }],
  ])("is refused by name: %s", (param, more) => {
    expect(() => googleSpeech.request(slot, { ...members, ...more })).toThrow(
      expect.objectContaining({ code: "invalid_param", param }),
    );
  });
});
