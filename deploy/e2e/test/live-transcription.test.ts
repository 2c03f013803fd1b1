import { once } from "node:events";
import type { Socket } from "node:net";
import type { RecordedCall } from "@tollgate/simulator/call-log";
import { describe, expect, inject, test } from "vitest";
import { WebSocket } from "ws";
import { bytesPerSecond, pcm } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf, readWalletRow } from "../src/ledger.ts";
import { finals, liveClient, livePath, partials, talk } from "../src/live-client.ts";
import { expectEnvelope, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

/** Returns the head of a masked frame of `length` bytes. */
function frameHead(firstByte: number, length: number): Buffer {
  const head = Buffer.alloc(14);
  head.set([firstByte, 0x80 | 127]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** Returns the connection of a WebSocket, to write invalid frames. */
function rawSocketOf(socket: WebSocket): Socket {
  return (socket as unknown as { _socket: Socket })._socket;
}

const { stack, account, expectBooks } = await sharedStack({ creditUsd: 10 });
const live = liveClient(stack, account);
const lastCall = () => stack.simulator.calls.list().at(-1) as RecordedCall;
/** The seconds of audio that the provider received, by its own count. */
const heardSeconds = () => (lastCall().upload?.bytes ?? 0) / bytesPerSecond;

describe("live transcription", () => {
  test("a close frame ends the audio, and every event is still delivered", async () => {
    const stream = await live.start({ model: "test-hear-late", sample_rate: 16_000, channels: 1 });
    expect(stream.requestId).toMatch(/^req_[0-9a-f]{32}$/);
    talk(stream, 5);
    stream.socket.close(1_000);
    expect(await stream.closed).toBe(1_000);
    expect(finals(stream)).toEqual([2, 2, 1]);
    expect(stream.frames.filter(({ type }) => type === "transcription.partial")).toHaveLength(10);
    expect(new Set(stream.frames.map(({ speaker }) => speaker))).toEqual(new Set(["A", "B"]));
    expect(stream.frames.some(({ type }) => type === "transcription.refine")).toBe(false);
    expect(await entryOf(stack, account, stream.requestId)).toMatchObject({
      kind: "usage",
      unitType: "audio_seconds",
      quantity: 5n,
      basis: "provider",
      amountNanoUsd: -500_000n,
    });
    expect(stack.simulator.calls.list().at(-1)?.upload?.bytes).toBe(5 * bytesPerSecond);
  });

  test("a revoked key ends the stream with an error, and what was delivered is billed", async () => {
    const own = await stack.newAccount(1);
    const stream = await live.start({}, own.key);
    talk(stream, 2);
    await eventually(() => expect(finals(stream)).toEqual([2]));
    await stack.operator.revokeKey({ keyId: own.keyId });
    expect(await stream.closed).toBe(1_008);
    expect(stream.frames.at(-1)).toMatchObject({
      error: { code: "key_revoked", retryable: false },
    });
    expect(await entryOf(stack, own, stream.requestId)).toMatchObject({
      kind: "usage",
      quantity: 2n,
    });
  });

  test("a flush message ends the audio, too, and the gateway closes", async () => {
    const stream = await live.start();
    talk(stream, 3);
    stream.socket.send(JSON.stringify({ action: "flush" }));
    expect(await stream.closed).toBe(1_000);
    expect(finals(stream)).toEqual([2, 1]);
  });

  test("a provider that closes within the audio without an event has failed", async () => {
    const stream = await live.start({ model: "test-hear-closing-at-once" });
    talk(stream, 5);
    expect(await stream.closed).toBe(1_011);
    expect(stream.frames.at(-1)?.error).toMatchObject({
      code: "upstream_rejected",
      retryable: true,
    });
    expect(await entryOf(stack, account, stream.requestId)).toMatchObject({
      kind: "failure",
      amountNanoUsd: 0n,
    });
  });

  test.each<[string, unknown, string, string | undefined]>([
    ["no JSON", "hello", "invalid_json", undefined],
    ["an array", "[]", "invalid_json", undefined],
    ["audio first", Buffer.alloc(100), "invalid_json", undefined],
    ["an unknown field", { foo: 1 }, "unknown_param", "foo"],
    ["no model", { model: undefined }, "invalid_param", "model"],
    ["an unknown model", { model: "nobody", format: "mp3" }, "model_not_found", "model"],
    ["an internal model", { model: "test-hear-internal" }, "model_not_found", "model"],
    ["a chat model", { model: "test-small" }, "model_not_found", "model"],
    [
      "a model without live audio",
      { model: "test-hear-files", format: "mp3" },
      "invalid_param",
      "model",
    ],
    ["no format", { format: undefined }, "invalid_param", "format"],
    ["another format", { format: "mp3" }, "unsupported_audio_format", "format"],
    ["another rate", { sample_rate: 8_000 }, "invalid_param", "sample_rate"],
    ["rate as text", { sample_rate: "16000" }, "invalid_param", "sample_rate"],
    ["stereo", { channels: 2 }, "invalid_param", "channels"],
  ])("a configuration with %s is refused in a frame", async (_, config, code, param) => {
    const raw = typeof config === "string" || Buffer.isBuffer(config);
    const stream = raw ? await live.open() : await live.start(config as object);
    if (raw) stream.socket.send(config as string | Buffer);
    expect(await stream.closed).toBe(1_008);
    const [frame] = stream.frames;
    expect(frame?.error).toMatchObject({ code, retryable: false });
    expect(frame?.error?.param).toBe(param);
    expect(stream.frames).toHaveLength(1);
  });

  test("another text frame ends the stream, and what was delivered is billed", async () => {
    const stream = await live.start();
    talk(stream, 4);
    await eventually(() => expect(finals(stream)).toEqual([2, 2]));
    stream.socket.send('{"action":"dance"}');
    expect(await stream.closed).toBe(1_008);
    expect(stream.frames.at(-1)?.error).toMatchObject({ code: "invalid_json", retryable: false });
    expect(await entryOf(stack, account, stream.requestId)).toMatchObject({
      kind: "usage",
      quantity: 4n,
    });
  });

  test("another text frame before anything was delivered is not billed", async () => {
    const stream = await live.start();
    stream.socket.send('{"action":"dance"}');
    expect(await stream.closed).toBe(1_008);
    expect(await entryOf(stack, account, stream.requestId)).toMatchObject({ kind: "failure" });
  });

  test.each([
    ["too large", frameHead(0x82, 2 ** 20 + 1), "request_too_large", 1_009],
    ["not masked", Buffer.from([0x82, 0x01, 0x00]), "invalid_json", 1_002],
    ["not UTF-8", Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]), "invalid_json", 1_007],
  ])("a frame that is %s is reported in an error frame, and what was delivered is billed", async (_, bytes, code, closeCode) => {
    const stream = await live.start();
    talk(stream, 4);
    await eventually(() => expect(finals(stream)).toEqual([2, 2]));
    rawSocketOf(stream.socket).write(bytes);
    expect(await stream.closed).toBe(closeCode);
    expect(stream.frames.at(-1)?.error).toMatchObject({ code, retryable: false });
    expect(await entryOf(stack, account, stream.requestId)).toMatchObject({
      kind: "usage",
      quantity: 4n,
    });
  });

  test.each([
    ["test-hear-dead-at-once", "upstream_rejected"],
    ["test-hear-refused", "upstream_rejected"],
    ["test-hear-dead", "no_provider_available"],
  ])("%s: one error frame, then the close, at no charge", async (model, code) => {
    const stream = await live.start({ model });
    talk(stream, 5);
    expect(await stream.closed).toBe(1_011);
    expect(stream.frames.at(-1)?.error).toMatchObject({ code, retryable: true });
    expect(stream.frames.filter(({ error }) => error !== undefined)).toHaveLength(1);
    expect(await entryOf(stack, account, stream.requestId)).toMatchObject({
      kind: "failure",
      amountNanoUsd: 0n,
    });
  });

  test.each([
    "test-hear-dying-late",
    "test-hear-reporting-late",
  ])("%s: one error frame, then the close; the finals and the audio after them are billed", async (model) => {
    const stream = await live.start({ model });
    talk(stream, 5);
    stream.socket.send(JSON.stringify({ action: "flush" }));
    expect(await stream.closed).toBe(1_011);
    const errors = stream.frames.filter(({ error }) => error !== undefined);
    expect(errors).toMatchObject([{ error: { code: "upstream_rejected", retryable: true } }]);
    expect(finals(stream)).toEqual([2, 2]);
    expect(await entryOf(stack, account, stream.requestId)).toMatchObject({
      kind: "usage",
      quantity: 5n,
      basis: "finals_and_pcm",
    });
  });

  test("before the upgrade: 401, 402, 403, 404 and a query, as plain HTTP", async () => {
    const refusal = async (key: string | undefined, address = livePath) => {
      const socket = new WebSocket(`${stack.url.replace("http", "ws")}${address}`, {
        headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      });
      const [, response] = await once(socket, "unexpected-response");
      let text = "";
      for await (const part of response) text += String(part);
      return {
        status: response.statusCode as number,
        headers: new Headers(response.headers as Record<string, string>),
        text,
        body: JSON.parse(text) as unknown,
      };
    };
    expectEnvelope(await refusal(undefined), 401, "invalid_api_key");
    expectEnvelope(await refusal("sk-tollgate-x"), 401, "invalid_api_key");
    const poor = await stack.newAccount(0);
    expectEnvelope(await refusal(poor.key), 402, "credit_balance_exhausted");
    await stack.operator.revokeKey({ keyId: poor.keyId });
    await eventually(async () => expectEnvelope(await refusal(poor.key), 403, "key_revoked"));
    expectEnvelope(await refusal(account.key, "/v1/elsewhere"), 404, "not_found");
    expectEnvelope(
      await refusal(account.key, `${livePath}?model=x`),
      400,
      "unknown_param",
      "model",
    );
    const plain = await send(`${stack.url}${livePath}`, { key: account.key });
    expectEnvelope(plain, 400, "invalid_param", "Upgrade");
  });

  test("a wallet that runs out ends the stream, and what was used is billed", async () => {
    const poor = await stack.newAccount(0.001);
    const stream = await live.start({}, poor.key);
    talk(stream, 8);
    await eventually(() => expect(finals(stream)).toHaveLength(4));
    talk(stream, 8);
    expect(await stream.closed).toBe(1_008);
    expect(stream.frames.at(-1)?.error).toMatchObject({
      code: "credit_balance_exhausted",
      retryable: false,
    });
    const entry = await entryOf(stack, poor, stream.requestId);
    expect(entry).toMatchObject({ kind: "usage" });
    await expectBooks();
    const { balance } = await readWalletRow(stack, poor);
    expect(balance).toBe(1_000_000n - BigInt(entry?.quantity ?? 0n) * 100_000n);
  });

  test("the error of a wallet that runs out says how much the stream's own hold reserves", async () => {
    const own = "the hold of this request itself reserves 0.001000 USD";
    const lone = await stack.newAccount(0.001);
    const single = await live.start({}, lone.key);
    talk(single, 16);
    expect(await single.closed).toBe(1_008);
    expect(single.frames.at(-1)?.error?.message).toBe(
      `Nothing in the wallet is available: ${own}. Top it up to continue.`,
    );
    const shared = await stack.newAccount(0.007);
    const first = await live.start({}, shared.key);
    await eventually(async () => {
      expect((await readWalletRow(stack, shared)).held).toBe(6_000_000n);
    });
    const second = await live.start({}, shared.key);
    talk(second, 16);
    expect(await second.closed).toBe(1_008);
    expect(second.frames.at(-1)?.error?.message).toBe(
      `Nothing in the wallet is available: ${own}, and other calls in flight hold 0.006000 USD. ` +
        "Retry when they have ended, or top it up.",
    );
    first.socket.close();
    await first.closed;
  });

  test("the hold grows with the stream", async () => {
    const own = await stack.newAccount(0.05);
    const stream = await live.start({}, own.key);
    talk(stream, 200);
    await eventually(() => expect(finals(stream).length).toBeGreaterThan(90), { timeout: 20_000 });
    const { held } = await readWalletRow(stack, own);
    expect(held).toBeGreaterThanOrEqual(20_000_000n);
    stream.socket.close();
    expect(await stream.closed).toBe(1_000);
    expect(await entryOf(stack, own, stream.requestId)).toMatchObject({ quantity: 200n });
  });

  test("a client that disconnects ends the provider's stream and is billed for what was used", async () => {
    const stream = await live.start();
    talk(stream, 4);
    await eventually(() => expect(finals(stream)).toHaveLength(2));
    stream.socket.terminate();
    await eventually(() =>
      expect(stack.simulator.calls.list().at(-1)?.outcome).toBe("client_disconnected"),
    );
    expect(await entryOf(stack, account, stream.requestId)).toMatchObject({
      kind: "usage",
      quantity: 4n,
    });
  });

  test("audio after the last final is billed where the client falls silent and the provider closes", async () => {
    const stream = await live.start({ model: "test-hear-idle" });
    talk(stream, 5);
    expect(await stream.closed).toBe(1_000);
    expect(finals(stream)).toEqual([2, 2]);
    expect(await entryOf(stack, account, stream.requestId)).toMatchObject({
      kind: "usage",
      quantity: 5n,
      basis: "finals_and_pcm",
      amountNanoUsd: -500_000n,
    });
  });

  test("a client that leaves before the first event is billed for its audio", async () => {
    const stream = await live.start();
    stream.socket.send(pcm(0.4));
    await eventually(() => expect(lastCall().upload?.bytes).toBe(0.4 * bytesPerSecond));
    stream.socket.terminate();
    expect(await entryOf(stack, account, stream.requestId)).toMatchObject({
      kind: "usage",
      quantity: 1n,
    });
    const { requests } = await stack.operator.getRequest({ id: stream.requestId });
    expect(requests).toMatchObject([{ clientStatus: 0, clientMessage: "", isPartial: true }]);
  });

  test("a client that sends faster than real time and leaves is billed for what the provider was sent", async () => {
    const stream = await live.start({ model: "test-hear-no-durations" });
    talk(stream, 60);
    await eventually(() => expect(partials(stream).length).toBeGreaterThan(20));
    stream.socket.terminate();
    await eventually(() => expect(lastCall().outcome).toBe("client_disconnected"));
    const entry = await entryOf(stack, account, stream.requestId);
    expect(entry).toMatchObject({ kind: "usage", basis: "pcm_bytes" });
    expect(Number(entry?.quantity)).toBeGreaterThanOrEqual(heardSeconds());
    expect(entry?.quantity).toBeLessThanOrEqual(60n);
  });

  /** Returns the seconds since a time, rounded up, as they are billed. */
  const secondsSince = (at: number) => BigInt(Math.ceil((performance.now() - at) / 1_000));

  /** These mostly wait, so they run concurrently. */
  describe.concurrent("limits of time", () => {
    test("a provider that takes long for its last events is read to the end", async () => {
      const stream = await live.start({ model: "test-hear-thinking" });
      talk(stream, 1);
      stream.socket.close();
      expect(await stream.closed).toBe(1_000);
      expect(finals(stream)).toEqual([1]);
    });

    test("without durations the elapsed time is billed", async () => {
      const startedAt = performance.now();
      const stream = await live.start({ model: "test-hear-bare-late" });
      talk(stream, 1);
      stream.socket.close();
      await stream.closed;
      const elapsed = secondsSince(startedAt);
      const entry = await entryOf(stack, account, stream.requestId);
      expect(entry?.basis).toBe("wall_clock");
      expect(entry?.quantity).toBeGreaterThanOrEqual(2n);
      expect(entry?.quantity).toBeLessThanOrEqual(elapsed);
    });

    test("without durations the time until the last event of the provider is billed", async () => {
      const startedAt = performance.now();
      const stream = await live.start({ model: "test-hear-bare-open" });
      let untilLast = 0n;
      stream.socket.on("message", () => {
        untilLast = secondsSince(startedAt);
      });
      talk(stream, 1);
      stream.socket.close();
      expect(await stream.closed).toBe(1_000);
      expect(secondsSince(startedAt)).toBeGreaterThan(untilLast);
      const entry = await entryOf(stack, account, stream.requestId);
      expect(entry?.basis).toBe("wall_clock");
      expect(entry?.quantity).toBeGreaterThanOrEqual(1n);
      expect(entry?.quantity).toBeLessThanOrEqual(untilLast);
    });

    test.each([
      ["a closing provider", "test-hear-closing"],
      ["a provider that never closes", "test-hear-open"],
    ])("%s ends cleanly", async (_, model) => {
      const stream = await live.start({ model });
      talk(stream, 5);
      stream.socket.close();
      expect(await stream.closed).toBe(1_000);
      expect(stream.frames.every(({ error }) => error === undefined)).toBe(true);
    });

    test.skipIf(inject("shape") === "fleet")(
      "a gateway that receives SIGTERM finishes its streams before it exits",
      async () => {
        const replica = await stack.addReplica();
        const stream = await live.start({ model: "test-hear-late" }, account.key, replica.url);
        talk(stream, 3);
        await eventually(() => expect(finals(stream)).toHaveLength(1));
        const silent = await live.open(account.key, replica.url);
        const startedAt = performance.now();
        await Promise.all([replica.stop(), stream.closed]);
        expect([await silent.closed, silent.frames]).toEqual([1_001, []]);
        // Long before the deadline of its drain.
        expect(performance.now() - startedAt).toBeLessThan(20_000);
        expect(await stream.closed).toBe(1_001);
        expect(finals(stream)).toEqual([2, 1]);
        expect(await entryOf(stack, account, stream.requestId)).toMatchObject({
          kind: "usage",
          quantity: 3n,
        });
      },
    );
  });
});
