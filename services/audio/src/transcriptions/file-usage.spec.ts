import type { Slot } from "@tollgate/catalog/model";
import { internalError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import type { UploadReservation } from "@tollgate/http/upload-space";
import { createUploadStore } from "@tollgate/http/upload-store";
import { describe, expect, test } from "vitest";
import { usageOfFile } from "./file-usage.ts";

const space: UploadReservation = { grow() {}, release() {}, diskFull: internalError };

interface WavFields {
  format?: number;
  rate?: number;
  channels?: number;
  bits?: number;
  /** What the header says of its byte rate and of the size of its samples. */
  pace?: number;
  size?: number;
}

/** Returns a WAV with so many bytes of samples, and a header that says what the fields do. */
function wav(bytes: number, fields: WavFields = {}): Buffer {
  const { format = 1, rate = 16_000, channels = 1, bits = 16, size = bytes } = fields;
  const head = Buffer.alloc(44);
  head.write("RIFF....WAVEfmt ", 0, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(format, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(fields.pace ?? (rate * channels * bits) / 8, 28);
  head.writeUInt16LE(bits, 34);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(size, 40);
  return Buffer.concat([head, Buffer.alloc(bytes)]);
}

async function usedFor(file: Buffer, response: JsonObject, contentType = "audio/wav") {
  const audio = createUploadStore(space);
  await audio.write(file);
  const slot = { measuresUnreported: true } as Slot;
  const { quantity, basis } = usageOfFile(response, { audio, contentType }, 500, slot, 10);
  return { quantity, basis };
}

describe("a file whose duration is not reported is measured", () => {
  const flac = Buffer.concat([Buffer.from("fLaC"), Buffer.alloc(19_996)]);
  const ogg = Buffer.concat([Buffer.from("OggS"), Buffer.alloc(19_996)]);
  const mp4 = Buffer.concat([Buffer.from("....ftypM4A "), Buffer.alloc(19_988)]);
  const mp3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0]), Buffer.alloc(19_996)]);
  const pcm = Buffer.alloc(64_000);

  test.each<[string, Buffer, string, bigint, string]>([
    ["a plain WAV, by its bytes", wav(80_000), "audio/wav", 3n, "wav_header"],
    ["one of another rate", wav(80_000, { rate: 8_000 }), "audio/wav", 5n, "wav_header"],
    ["one of mu-law", wav(80_000, { format: 7, bits: 8 }), "audio/wav", 5n, "wav_header"],
    ["one that claims fewer samples", wav(64_000, { size: 32 }), "audio/wav", 2n, "wav_header"],
    ["one that claims another byte rate", wav(3_956, { pace: 4e9 }), "audio/wav", 2n, "file_bytes"],
    ["one that claims to be immense", wav(3_956, { rate: 4e8 }), "audio/wav", 2n, "file_bytes"],
    ["one that is compressed", wav(3_956, { format: 17, bits: 4 }), "audio/wav", 2n, "file_bytes"],
    ["raw PCM", pcm, "audio/L16; rate=16000", 2n, "pcm_bytes"],
    ["FLAC", flac, "audio/flac", 10n, "file_bytes"],
    ["FLAC that is called PCM", flac, "audio/L16", 10n, "file_bytes"],
    ["Ogg that is called PCM", ogg, "audio/pcm", 10n, "file_bytes"],
    ["MP4 that is called PCM", mp4, "audio/pcm", 10n, "file_bytes"],
    ["MP3 that is called PCM", mp3, "audio/pcm", 10n, "file_bytes"],
  ])("%s", async (_, file, contentType, quantity, basis) => {
    expect(await usedFor(file, {}, contentType)).toEqual({ quantity, basis });
  });

  const words = [{ end: 0.5 }, { end: 6.2 }, { end: 3 }];

  test("by the latest end of its words or segments", async () => {
    const timed = { quantity: 7n, basis: "timestamps" };
    expect(await usedFor(flac, { words }, "audio/flac")).toEqual(timed);
    expect(await usedFor(flac, { segments: words, words: [] }, "audio/flac")).toEqual(timed);
  });

  test("by its samples where its words end before them", async () => {
    const whole = { quantity: 9n, basis: "wav_header" };
    expect(await usedFor(wav(9 * 32_000), { words })).toEqual(whole);
  });

  test.each([
    { end: -1 },
    { end: 1e99 },
    { end: "9" },
    null,
    "word",
  ])("not by an end of %j", async (word) => {
    const { basis } = await usedFor(flac, { words: [word] }, "audio/flac");
    expect(basis).toBe("file_bytes");
  });

  test("only where it is not reported", async () => {
    expect(await usedFor(wav(64_000), { duration: 1.5 })).toEqual({
      quantity: 2n,
      basis: "provider",
    });
  });
});
