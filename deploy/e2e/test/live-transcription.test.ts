import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { WebSocket } from "ws";
import { bytesPerSecond, pcm } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf, expectBooksInOrder, readBooks } from "../src/ledger-books.ts";
import { expectEnvelope, send } from "../src/request.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

interface Frame {
  type?: string;
  duration?: number;
  speaker?: string;
  error?: { code: string; param?: string; retryable: boolean };
}

/** The start of a masked frame, of so many bytes. */
function frameHead(firstByte: number, length: number): Buffer {
  const head = Buffer.alloc(14);
  head.set([firstByte, 0x80 | 127]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** The connection under a WebSocket, to write on it what a WebSocket would not. */
function rawSocketOf(socket: WebSocket): Socket {
  return (socket as unknown as { _socket: Socket })._socket;
}

describe("live transcription", () => {
  let stack: Stack;
  let account: Account;

  beforeAll(async () => {
    stack = await startStack();
    account = await stack.newAccount(10);
  });

  afterAll(async () => {
    await expectBooksInOrder(stack);
    await stack.stop();
  });

  const path = "/v1/audio/transcriptions/stream";

  interface Live {
    socket: WebSocket;
    requestId: string;
    frames: Frame[];
    closed: Promise<number>;
  }

  async function open(key: string = account.key, url: string = stack.url): Promise<Live> {
    const socket = new WebSocket(`${url.replace("http", "ws")}${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const frames: Frame[] = [];
    socket.on("message", (data) => frames.push(JSON.parse(String(data)) as Frame));
    const closed = once(socket, "close").then(([code]) => code as number);
    const [[response]] = await Promise.all([once(socket, "upgrade"), once(socket, "open")]);
    return { socket, requestId: String(response.headers["x-request-id"]), frames, closed };
  }

  async function start(config: object = {}, key?: string, url?: string): Promise<Live> {
    const live = await open(key, url);
    live.socket.send(JSON.stringify({ model: "test-hear", format: "pcm_s16le", ...config }));
    return live;
  }

  function talk({ socket }: Live, seconds: number): void {
    const audio = pcm(seconds);
    for (let at = 0; at < audio.length; at += 3_200) socket.send(audio.subarray(at, at + 3_200));
  }

  const finals = ({ frames }: Live) =>
    frames.filter(({ type }) => type === "transcription.final").map(({ duration }) => duration);

  test("audio up, events down; the close frame ends the audio, and everything still comes", async () => {
    const live = await start({ model: "test-hear-late", sample_rate: 16_000, channels: 1 });
    expect(live.requestId).toMatch(/^req_[0-9a-f]{32}$/);
    talk(live, 5);
    live.socket.close(1_000);
    expect(await live.closed).toBe(1_000);
    expect(finals(live)).toEqual([2, 2, 1]);
    expect(live.frames.filter(({ type }) => type === "transcription.partial")).toHaveLength(10);
    expect(new Set(live.frames.map(({ speaker }) => speaker))).toEqual(new Set(["A", "B"]));
    expect(live.frames.some(({ type }) => type === "transcription.refine")).toBe(false);
    expect(await entryOf(stack, account, live.requestId)).toMatchObject({
      kind: "usage",
      unitType: "audio_seconds",
      quantity: 5n,
      basis: "provider",
      amountNanoUsd: -500_000n,
    });
    expect(stack.simulator.calls.list().at(-1)?.upload?.bytes).toBe(5 * bytesPerSecond);
  });

  test("a provider that thinks over its last words is heard to the end", async () => {
    const live = await start({ model: "test-hear-thinking" });
    talk(live, 1);
    live.socket.close();
    expect(await live.closed).toBe(1_000);
    expect(finals(live)).toEqual([1]);
  });

  test("ends when its key is revoked, is told so, and is billed what it heard", async () => {
    const own = await stack.newAccount(1);
    const live = await start({}, own.key);
    talk(live, 2);
    await eventually(() => expect(finals(live)).toEqual([2]));
    await stack.operator.revokeKey({ keyId: own.keyId });
    expect(await live.closed).toBe(1_008);
    expect(live.frames.at(-1)).toMatchObject({ error: { code: "key_revoked", retryable: false } });
    expect(await entryOf(stack, own, live.requestId)).toMatchObject({
      kind: "usage",
      quantity: 2n,
    });
  });

  test("a flush as text means the same, and the service closes", async () => {
    const live = await start();
    talk(live, 3);
    live.socket.send(JSON.stringify({ action: "flush" }));
    expect(await live.closed).toBe(1_000);
    expect(finals(live)).toEqual([2, 1]);
  });

  test("without durations the wall clock is billed", async () => {
    const live = await start({ model: "test-hear-no-durations" });
    talk(live, 2);
    await sleep(1_500);
    live.socket.close();
    await live.closed;
    expect(await entryOf(stack, account, live.requestId)).toMatchObject({
      quantity: 2n,
      basis: "wall_clock",
    });
  });

  test("without durations the clock stops where the provider has said it all", async () => {
    const live = await start({ model: "test-hear-bare-open" });
    talk(live, 1);
    live.socket.close();
    expect(await live.closed).toBe(1_000);
    expect(await entryOf(stack, account, live.requestId)).toMatchObject({
      quantity: 1n,
      basis: "wall_clock",
    });
  });

  test.each([
    ["a closing provider", "test-hear-closing"],
    ["one that never closes", "test-hear-open"],
  ])("%s ends cleanly", async (_, model) => {
    const live = await start({ model });
    talk(live, 5);
    live.socket.close();
    expect(await live.closed).toBe(1_000);
    expect(live.frames.every(({ error }) => error === undefined)).toBe(true);
  });

  test("a provider that closes within the audio, and without a word, has failed", async () => {
    const live = await start({ model: "test-hear-closing-at-once" });
    talk(live, 5);
    expect(await live.closed).toBe(1_011);
    expect(live.frames.at(-1)?.error).toMatchObject({ code: "upstream_rejected", retryable: true });
    expect(await entryOf(stack, account, live.requestId)).toMatchObject({
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
    ["a model that is none", { model: "nobody", format: "mp3" }, "model_not_found", "model"],
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
    const live = raw ? await open() : await start(config as object);
    if (raw) live.socket.send(config as string | Buffer);
    expect(await live.closed).toBe(1_008);
    const [frame] = live.frames;
    expect(frame?.error).toMatchObject({ code, retryable: false });
    expect(frame?.error?.param).toBe(param);
    expect(live.frames).toHaveLength(1);
  });

  test("another text frame ends the stream, and what was delivered is billed", async () => {
    const live = await start();
    talk(live, 4);
    await eventually(() => expect(finals(live)).toEqual([2, 2]));
    live.socket.send('{"action":"dance"}');
    expect(await live.closed).toBe(1_008);
    expect(live.frames.at(-1)?.error).toMatchObject({ code: "invalid_json", retryable: false });
    expect(await entryOf(stack, account, live.requestId)).toMatchObject({
      kind: "usage",
      quantity: 4n,
    });
  });

  test("another text frame before anything was delivered leaves nothing to bill", async () => {
    const live = await start();
    live.socket.send('{"action":"dance"}');
    expect(await live.closed).toBe(1_008);
    expect(await entryOf(stack, account, live.requestId)).toMatchObject({ kind: "failure" });
  });

  test.each([
    ["too large", frameHead(0x82, 2 ** 20 + 1), "request_too_large", 1_009],
    ["not masked", Buffer.from([0x82, 0x01, 0x00]), "invalid_json", 1_002],
    ["no text", Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]), "invalid_json", 1_007],
  ])("a frame that is %s is told in an error frame, and what was delivered is billed", async (_, bytes, code, closeCode) => {
    const live = await start();
    talk(live, 4);
    await eventually(() => expect(finals(live)).toEqual([2, 2]));
    rawSocketOf(live.socket).write(bytes);
    expect(await live.closed).toBe(closeCode);
    expect(live.frames.at(-1)?.error).toMatchObject({ code, retryable: false });
    expect(await entryOf(stack, account, live.requestId)).toMatchObject({
      kind: "usage",
      quantity: 4n,
    });
  });

  test.each([
    ["test-hear-dying", "upstream_rejected"],
    ["test-hear-dead-at-once", "upstream_rejected"],
    ["test-hear-reporting", "upstream_rejected"],
    ["test-hear-refused", "upstream_rejected"],
    ["test-hear-dead", "no_provider_available"],
  ])("%s: one error frame, then the close, unbilled", async (model, code) => {
    const live = await start({ model });
    talk(live, 5);
    expect(await live.closed).toBe(1_011);
    expect(live.frames.at(-1)?.error).toMatchObject({ code, retryable: true });
    expect(live.frames.filter(({ error }) => error !== undefined)).toHaveLength(1);
    expect(await entryOf(stack, account, live.requestId)).toMatchObject({
      kind: "failure",
      amountNanoUsd: 0n,
    });
  });

  test("before the upgrade: 401, 402, 403, 404 and a query, as plain HTTP", async () => {
    const refusal = async (key: string | undefined, address = path) => {
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
    expectEnvelope(await refusal(account.key, `${path}?model=x`), 400, "unknown_param", "model");
    const plain = await send(`${stack.url}${path}`, { key: account.key });
    expectEnvelope(plain, 400, "invalid_param", "Upgrade");
  });

  test("a wallet that runs out ends the stream, and what was used is billed", async () => {
    const poor = await stack.newAccount(0.001);
    const live = await start({}, poor.key);
    talk(live, 8);
    await eventually(() => expect(finals(live)).toHaveLength(4));
    talk(live, 8);
    expect(await live.closed).toBe(1_008);
    expect(live.frames.at(-1)?.error).toMatchObject({
      code: "credit_balance_exhausted",
      retryable: false,
    });
    const entry = await entryOf(stack, poor, live.requestId);
    expect(entry).toMatchObject({ kind: "usage", basis: "provider" });
    await expectBooksInOrder(stack);
    const { balance } = await readBooks(stack, poor);
    expect(balance).toBe(1_000_000n - BigInt(entry?.quantity ?? 0n) * 100_000n);
  });

  test("the hold grows with the stream: minutes of audio from a wallet that has them", async () => {
    const own = await stack.newAccount(0.05);
    const live = await start({}, own.key);
    talk(live, 200);
    await eventually(() => expect(finals(live).length).toBeGreaterThan(90), { timeout: 20_000 });
    const { held } = await readBooks(stack, own);
    expect(held).toBeGreaterThanOrEqual(20_000_000n);
    live.socket.close();
    expect(await live.closed).toBe(1_000);
    expect(await entryOf(stack, own, live.requestId)).toMatchObject({ quantity: 200n });
  });

  test("a client that vanishes ends the provider's stream and is billed for what was used", async () => {
    const live = await start();
    talk(live, 4);
    await eventually(() => expect(finals(live)).toHaveLength(2));
    live.socket.terminate();
    await eventually(() =>
      expect(stack.simulator.calls.list().at(-1)?.outcome).toBe("client_disconnected"),
    );
    expect(await entryOf(stack, account, live.requestId)).toMatchObject({
      kind: "usage",
      quantity: 4n,
    });
  });

  test("a client that reads nothing slows the provider; memory stays", async () => {
    const live = await start({ model: "test-hear-flood" });
    const before = stack.memoryBytes();
    live.socket.pause();
    const audio = pcm(10);
    for (let at = 0; at < audio.length; at += 320) live.socket.send(audio.subarray(at, at + 320));
    const call = () => stack.simulator.calls.list().at(-1);
    let sent = -1;
    await eventually(
      () => {
        const now = call()?.chunksSent ?? 0;
        const settled = now === sent && now > 0;
        sent = now;
        expect(settled).toBe(true);
      },
      { interval: 400, timeout: 20_000 },
    );
    expect(stack.memoryBytes() - before).toBeLessThan(150_000_000);
    live.socket.resume();
    live.socket.close();
    expect(await live.closed).toBe(1_000);
    const partials = live.frames.filter(({ type }) => type === "transcription.partial");
    expect(partials.length).toBe(200 * 1_000 + 20);
  });

  test("a client that pauses after its audio is still told everything", async () => {
    const live = await start({ model: "test-hear-flood" });
    live.socket.pause();
    const audio = pcm(10);
    for (let at = 0; at < audio.length; at += 320) live.socket.send(audio.subarray(at, at + 320));
    live.socket.send(JSON.stringify({ action: "flush" }));
    await sleep(6_000);
    live.socket.resume();
    expect(await live.closed).toBe(1_000);
    expect(finals(live)).toEqual([2, 2, 2, 2, 2]);
    const partials = live.frames.filter(({ type }) => type === "transcription.partial");
    expect(partials).toHaveLength(200 * 1_000 + 20);
  });

  test.skipIf(inject("shape") === "fleet")(
    "a gateway that is asked to end brings its streams to their end first",
    async () => {
      const replica = await stack.addReplica();
      const live = await start({ model: "test-hear-late" }, account.key, replica.url);
      talk(live, 3);
      await eventually(() => expect(finals(live)).toHaveLength(1));
      const silent = await open(account.key, replica.url);
      const startedAt = performance.now();
      await Promise.all([replica.stop(), live.closed]);
      expect([await silent.closed, silent.frames]).toEqual([1_001, []]);
      expect(performance.now() - startedAt).toBeLessThan(10_000);
      expect(await live.closed).toBe(1_001);
      expect(finals(live)).toEqual([2, 1]);
      expect(await entryOf(stack, account, live.requestId)).toMatchObject({
        kind: "usage",
        quantity: 3n,
      });
    },
  );

  test("a provider that takes no audio is given up, and the client not read any further", async () => {
    const live = await start({ model: "test-hear-stalled" });
    const before = stack.memoryBytes();
    const block = pcm(1);
    for (let second = 0; second < 3_000; second += 1) live.socket.send(block);
    expect(await live.closed).toBe(1_011);
    expect(live.frames.at(-1)?.error).toMatchObject({ code: "upstream_rejected" });
    expect(stack.memoryBytes() - before).toBeLessThan(150_000_000);
    expect(await entryOf(stack, account, live.requestId)).toMatchObject({
      kind: "failure",
      amountNanoUsd: 0n,
    });
  });
});
