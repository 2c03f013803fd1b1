import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pcm } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { idempotencyClient } from "../src/idempotency-client.ts";
import { entryOf, expectBalancedLedger } from "../src/ledger.ts";
import { finals, type LiveClient, liveClient, partials, talk } from "../src/live-client.ts";
import { ocrClient } from "../src/ocr-client.ts";
import { imageFile, modelField } from "../src/ocr-form.ts";
import { type OwnStack, startStack, type TestAccount } from "../src/stack.ts";

const mebibyte = 1024 * 1024;

/** Every test measures a gateway that nothing has used before. */
describe("the memory of a gateway", () => {
  let stack: OwnStack;
  let account: TestAccount;
  let live: LiveClient;

  beforeEach(async () => {
    stack = await startStack();
    account = await stack.newAccount(50);
    live = liveClient(stack, account);
  });

  afterEach(async () => {
    await expectBalancedLedger(stack);
    await stack.stop();
  });

  const lastCall = () => stack.simulator.calls.list().at(-1);

  /** Waits until the provider sends no more, and returns how much it sent. */
  async function settled(sent: () => number, interval: number): Promise<number> {
    let before = -1;
    return eventually(
      () => {
        const now = sent();
        const isSettled = now === before && now > 0;
        before = now;
        expect(isSettled).toBe(true);
        return now;
      },
      { interval, timeout: 20_000 },
    );
  }

  test("stays small while large responses are replayed to slow readers", async () => {
    const post = idempotencyClient(stack, account);
    const input = Array.from({ length: 300 }, (_, index) => `text ${index}`);
    const large = {
      model: "test-embed",
      input,
      dimensions: 4_096,
      encoding_format: "float",
    };
    const original = await post("large", large, { path: "/v1/embeddings" });
    expect(original.text.length).toBeGreaterThan(15_000_000);
    const before = stack.memoryBytes();
    const slow = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const response = await fetch(`${stack.url}/v1/embeddings`, {
          method: "POST",
          headers: { authorization: `Bearer ${account.key}`, "idempotency-key": "large" },
          body: JSON.stringify(large),
        });
        expect(response.headers.get("idempotency-replayed")).toBe("true");
        return response;
      }),
    );
    expect(stack.memoryBytes() - before).toBeLessThan(200_000_000);
    const [first, ...others] = slow;
    expect(await first?.text()).toBe(original.text);
    expect(first?.headers.get("content-length")).toBe(String(original.text.length));
    for (const { body } of others) await body?.cancel();
  });

  test("stays small while a client of a live stream reads nothing, which slows the provider", async () => {
    const stream = await live.start({ model: "test-hear-flood" });
    const before = stack.memoryBytes();
    stream.socket.pause();
    talk(stream, 10, 320);
    await settled(() => lastCall()?.chunksSent ?? 0, 400);
    expect(stack.memoryBytes() - before).toBeLessThan(150_000_000);
    stream.socket.resume();
    stream.socket.close();
    expect(await stream.closed).toBe(1_000);
    expect(partials(stream).length).toBe(200 * 1_000 + 20);
  });

  test("stays small while a provider takes no audio: the stream is abandoned and the client no longer read", async () => {
    const stream = await live.start({ model: "test-hear-stalled" });
    const before = stack.memoryBytes();
    const second = pcm(1);
    for (let sent = 0; sent < 3_000; sent += 1) stream.socket.send(second);
    expect(await stream.closed).toBe(1_011);
    expect(stream.frames.at(-1)?.error).toMatchObject({ code: "upstream_rejected" });
    expect(stack.memoryBytes() - before).toBeLessThan(150_000_000);
    expect(await entryOf(stack, account, stream.requestId)).toMatchObject({
      kind: "failure",
      amountNanoUsd: 0n,
    });
  });

  test("a client that pauses after its audio still receives every event", async () => {
    const silent = await live.start({ model: "test-hear-open" });
    talk(silent, 5);
    await eventually(() => expect(finals(silent)).toEqual([2, 2]));
    const stream = await live.start({ model: "test-hear-flood" });
    stream.socket.pause();
    talk(stream, 10, 320);
    stream.socket.send(JSON.stringify({ action: "flush" }));
    // The pause lasts as long as the gateway waits for a provider that stays silent.
    silent.socket.close();
    expect(await silent.closed).toBe(1_000);
    stream.socket.resume();
    expect(await stream.closed).toBe(1_000);
    expect(finals(stream)).toEqual([2, 2, 2, 2, 2]);
    expect(partials(stream)).toHaveLength(200 * 1_000 + 20);
  });

  test("stays small while 100 clients upload at once", async () => {
    const ocr = ocrClient(stack, account);
    const before = stack.memoryBytes();
    const big = { ...imageFile, contents: Buffer.alloc(5 * mebibyte, 7) };
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => ocr.read([big, modelField("test-read-many")])),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(stack.memoryBytes() - before).toBeLessThan(300_000_000);
  }, 180_000);

  test("stays small while a gigabyte of speech passes to a slow reader, which slows the provider", async () => {
    const response = await fetch(`${stack.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "test-speech-big", input: "Hello there", voice: "alto" }),
    });
    const reader = response.body?.getReader();
    try {
      let bytes = (await reader?.read())?.value?.length ?? 0;
      // The client reads no more, and the provider stops long before the end.
      const sent = await settled(() => lastCall()?.bytesSent ?? 0, 300);
      expect(sent).toBeLessThan(100_000_000);
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        bytes += part.value.length;
      }
      expect(bytes).toBe(1_000_000_000);
      expect(stack.memoryBytes()).toBeLessThan(500_000_000);
    } finally {
      // A stream that nobody reads would keep its hold open.
      await reader?.cancel();
    }
  }, 300_000);
});
