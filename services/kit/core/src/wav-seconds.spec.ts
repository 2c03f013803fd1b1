import { expect, test } from "vitest";
import { secondsOfAudio } from "./wav-seconds.ts";

/** Returns a WAV in base64 of PCM with 16 bits and one channel, whose header may claim another byte rate. */
function wav(seconds: number, byteRate = 32_000): string {
  const rate = 16_000;
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(byteRate, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  return Buffer.concat([header, Buffer.alloc(seconds * rate * 2)]).toString("base64");
}

test("a WAV has the seconds of its header, and at least one", () => {
  expect(secondsOfAudio(wav(3), "wav")).toBe(3);
  expect(secondsOfAudio(wav(0), "wav")).toBe(1);
});

test("any other audio has the most seconds of its size: MP3, a forged header, a WAV sent as MP3", () => {
  const mp3 = Buffer.alloc(20_000, 0xff).toString("base64");
  expect(secondsOfAudio(mp3, "mp3")).toBe(10);
  expect(secondsOfAudio(mp3, "wav")).toBe(10);
  expect(secondsOfAudio(wav(1, 8_000_000), "wav")).toBe(17);
  expect(secondsOfAudio(wav(1), "mp3")).toBe(17);
});
