import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type AudioProgress, readProviderEvents } from "./provider-events.ts";
import type { ProviderSocket } from "./provider-socket.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const silence = { idleMs: 3_000, timeoutMs: 10_000 };

/** A provider that sends an event for each text as it is read, then stays open and sends nothing. */
function provider(...texts: string[]): ProviderSocket {
  const closing = new AbortController();
  const closed = () => new Error("the connection ended");
  async function* send() {
    for (const text of texts) {
      if (closing.signal.aborted) throw closed();
      yield { type: "transcription.final", text };
    }
    await new Promise((_, reject) => {
      closing.signal.addEventListener("abort", () => reject(closed()));
    });
  }
  return {
    send: async () => true,
    endAudio: async () => true,
    events: send(),
    sentBytes: () => 0,
    close: () => closing.abort(),
  };
}

function progressOf(flushed: boolean): AudioProgress {
  return { flushed, isDrained: false };
}

/** Reads all events. Takes `paceMs` for each. */
async function read(socket: ProviderSocket, paceMs: number): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of readProviderEvents(socket, progressOf(true), silence)) {
    texts.push(text);
    await new Promise((resolve) => setTimeout(resolve, paceMs));
  }
  return texts;
}

test("a client that reads slowly loses no events", async () => {
  const reading = read(provider("a", "b", "c"), 60_000);
  await vi.advanceTimersByTimeAsync(200_000);
  expect(await reading).toEqual(["a", "b", "c"]);
});

test("silence of the provider ends a transcript that has events, and fails one without", async () => {
  const reading = read(provider("a"), 5_000);
  await vi.advanceTimersByTimeAsync(8_500);
  expect(await reading).toEqual(["a"]);
  const failing = expect(read(provider(), 0)).rejects.toThrow("took too long");
  await vi.advanceTimersByTimeAsync(silence.timeoutMs + 500);
  await failing;
});

test("a provider that closes without an event has failed, unless the audio was flushed", async () => {
  const closing = (): ProviderSocket => ({
    send: async () => true,
    endAudio: async () => true,
    events: (async function* () {})(),
    sentBytes: () => 0,
    close: () => {},
  });
  const before = readProviderEvents(closing(), progressOf(false), silence);
  await expect(before.next()).rejects.toThrow("before the audio ended");
  const flushed = progressOf(true);
  const after = readProviderEvents(closing(), flushed, silence);
  expect(await after.next()).toMatchObject({ done: true });
  expect(flushed.isDrained).toBe(true);
});
