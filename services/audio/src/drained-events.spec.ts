import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { drainEvents } from "./drained-events.ts";
import type { ProviderSocket } from "./provider-socket.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const silence = { idleMs: 3_000, timeoutMs: 10_000 };

/** Says each text as soon as it is asked for the next, then stays open and silent. */
function provider(...texts: string[]): ProviderSocket {
  const closing = new AbortController();
  const closed = () => new Error("the connection ended");
  async function* say() {
    for (const text of texts) {
      if (closing.signal.aborted) throw closed();
      yield { type: "transcription.final", text };
    }
    await new Promise((_, reject) => {
      closing.signal.addEventListener("abort", () => reject(closed()));
    });
  }
  return { send: async () => {}, events: say(), close: () => closing.abort() };
}

/** Reads all events, and takes so long over each. */
async function read(socket: ProviderSocket, paceMs: number): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of drainEvents(socket, { flushed: true }, silence)) {
    texts.push(text);
    await new Promise((resolve) => setTimeout(resolve, paceMs));
  }
  return texts;
}

test("a client that takes long over its events loses none of them", async () => {
  const reading = read(provider("a", "b", "c"), 60_000);
  await vi.advanceTimersByTimeAsync(200_000);
  expect(await reading).toEqual(["a", "b", "c"]);
});

test("a provider that is silent after its events has ended; one that says nothing has failed", async () => {
  const reading = read(provider("a"), 5_000);
  await vi.advanceTimersByTimeAsync(8_500);
  expect(await reading).toEqual(["a"]);
  const failing = expect(read(provider(), 0)).rejects.toThrow("took too long");
  await vi.advanceTimersByTimeAsync(silence.timeoutMs + 500);
  await failing;
});

test("a provider that closes without a word has failed, unless the audio was over", async () => {
  const closing = (): ProviderSocket => ({
    send: async () => {},
    events: (async function* () {})(),
    close: () => {},
  });
  const within = drainEvents(closing(), { flushed: false }, silence);
  await expect(within.next()).rejects.toThrow("closed before the audio was over");
  const behind = drainEvents(closing(), { flushed: true }, silence);
  expect(await behind.next()).toMatchObject({ done: true });
});
