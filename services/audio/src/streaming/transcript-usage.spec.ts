import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import { describe, expect, test } from "vitest";
import { type TranscriptEnd, TranscriptUsage } from "./transcript-usage.ts";

type Times = Pick<TranscriptEvent, "start" | "end" | "duration">;

const drained = { isDrained: true };
const broken = { isDrained: false };

/** Returns what is billed for finals with these times, of a stream that was sent ten seconds. */
function usedFor(finals: readonly Times[], end: Partial<TranscriptEnd>, derives = false) {
  const sentSeconds = end.sentSeconds ?? 10;
  const usage = new TranscriptUsage({ derives });
  usage.add({ type: "transcription.partial", text: "a" }, sentSeconds);
  for (const times of finals) {
    usage.add({ type: "transcription.final", text: "a", ...times }, sentSeconds);
  }
  return usage.used({ isDrained: false, ...end, sentSeconds });
}

describe("a stream whose finals have durations is billed", () => {
  test.each<[string, Times[], Partial<TranscriptEnd>, bigint, string]>([
    [
      "their sum, where it was drained",
      [{ duration: 1.2 }, { duration: 2 }],
      drained,
      4n,
      "provider",
    ],
    ["the audio after the last as well", [{ end: 4, duration: 4 }], broken, 10n, "finals_and_pcm"],
    ["by a start where there is no end", [{ start: 2, duration: 4 }], broken, 8n, "finals_and_pcm"],
    [
      "by their sum without times",
      [{ duration: 2 }, { duration: 3 }],
      broken,
      10n,
      "finals_and_pcm",
    ],
    [
      "nothing more where the last ends with the audio",
      [{ end: 10, duration: 10 }],
      broken,
      10n,
      "provider",
    ],
    [
      "for each of two that overlap, and what follows both",
      [
        { start: 0, end: 6, duration: 6 },
        { start: 1, end: 3, duration: 2 },
      ],
      broken,
      12n,
      "finals_and_pcm",
    ],
    [
      "what follows an end before its start",
      [{ start: 5, end: 1, duration: 2 }],
      broken,
      11n,
      "finals_and_pcm",
    ],
    [
      "what follows an end beyond the audio",
      [{ end: 5_000, duration: 2 }],
      broken,
      10n,
      "finals_and_pcm",
    ],
    ["no audio of the provider's future", [{ duration: 20 }], broken, 20n, "provider"],
  ])("%s", (_, finals, end, quantity, basis) => {
    expect(usedFor(finals, end)).toEqual({ quantity, basis });
  });
});

describe("a stream whose finals have no durations is billed", () => {
  test.each<[string, Partial<TranscriptEnd>, bigint, string]>([
    ["the elapsed time, where it was drained", { ...drained, clockSeconds: 2.5 }, 3n, "wall_clock"],
    ["the elapsed time of a slow client", { ...broken, clockSeconds: 30 }, 30n, "wall_clock"],
    ["the audio of a fast client that left", { ...broken, clockSeconds: 0.5 }, 10n, "pcm_bytes"],
    ["the audio, where that is the fallback", drained, 10n, "pcm_bytes"],
    ["nothing without audio", { ...drained, sentSeconds: 0, clockSeconds: 9 }, 0n, "wall_clock"],
  ])("%s", (_, end, quantity, basis) => {
    expect(usedFor([{ start: 0, end: 4 }], end)).toEqual({ quantity, basis });
  });

  test("durations that together are longer than any call count as not reported", () => {
    const finals = [{ duration: 600_000 }, { duration: 600_000 }];
    expect(usedFor(finals, broken)).toEqual({ quantity: 10n, basis: "pcm_bytes" });
  });

  test.each([
    drained,
    broken,
  ])("its audio, silence included, by the times of its finals: %o", (end) => {
    const finals = [
      { start: 1, end: 2 },
      { start: 6, end: 7 },
    ];
    expect(usedFor(finals, end, true)).toEqual({ quantity: 10n, basis: "timestamps" });
  });
});

test.each<[string, Partial<TranscriptEnd>, boolean]>([
  ["no event has come", { ...broken, sentSeconds: 5 }, false],
  ["no audio was sent", { ...broken, sentSeconds: 0 }, true],
])("a stream that was not drained is not billed where %s", (_, end, hasEvent) => {
  const usage = new TranscriptUsage({ derives: false });
  if (hasEvent) usage.add({ type: "transcription.partial", text: "a" }, 0);
  expect(usage.used({ isDrained: false, sentSeconds: 0, ...end })).toBeUndefined();
});
