import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Slot } from "@tollgate/catalog/model";
import { PeerError } from "@tollgate/core/errors";
import { vendors } from "@tollgate/providers";
import { chatAdapterOf } from "@tollgate/providers/chat";
import { readUsageBlock } from "@tollgate/providers/openai/usage";
import { createProviderClient } from "@tollgate/upstream/provider-client";
import { expect, onTestFinished, test, vi } from "vitest";
import { forwardChunks, type ProviderStream } from "./forward-chunks.ts";
import { UsageCounter } from "./usage/usage-counter.ts";
import { ChatEvents } from "./wires/chat/events.ts";

const count = 1_500;
const word = " cat";
/** Cannot be compressed, so that the stream has more bytes than its reader takes at once. */
const padding = () => randomBytes(600).toString("base64");

const repeat = (event: object) =>
  Array.from({ length: count }, () => ({ ...event, padding: padding() }));

const events = {
  openai: repeat({
    id: "c",
    choices: [{ index: 0, delta: { content: word }, finish_reason: null }],
  }),
  anthropic: [
    {
      type: "message_start",
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        content: [],
        usage: { input_tokens: 4 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...repeat({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: word } }),
  ],
  google: repeat({
    candidates: [{ index: 0, content: { role: "model", parts: [{ text: word }] } }],
  }),
};

/** Starts a provider that sends all events at once and does not end. Opens its stream as a request does. */
async function open(name: keyof typeof events, encoding: string, signal: AbortSignal) {
  const text = events[name].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  let sent: ServerResponse | undefined;
  const server = createServer((_, response) => {
    sent = response;
    response.writeHead(200, {
      "content-type": "text/event-stream",
      ...(encoding === "" ? {} : { "content-encoding": encoding }),
    });
    response.write(encoding === "" ? text : gzipSync(text));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const providers = createProviderClient({ KEY: "secret" });
  onTestFinished(async () => {
    await providers.close();
    server.closeAllConnections();
    server.close();
  });
  const kind = vendors[name];
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = { name: "near", kind, baseUrl, apiKeyEnv: "KEY", timeoutMs: 60_000 };
  const slot = { id: "near/m", provider, path: "/chat", upstreamModel: "m" } as unknown as Slot;
  const adapter = await chatAdapterOf(slot);
  const request = { model: "m", max_tokens: 9_000, messages: [{ role: "user", content: "Hi" }] };
  const call = { accept: "text/event-stream", requestId: "req_1", signal } as const;
  const body: ProviderStream =
    adapter === undefined
      ? (await providers.post(slot, Buffer.from("{}"), call)).body
      : await adapter.stream(providers, slot, request, call);
  return { body, sent: () => sent };
}

const waiting = { timeout: 20_000, interval: 50 };
const unlimited = { admit: () => true, wait: async () => true, stopGrowing() {}, isUsedUp: false };

/** Takes the first part of a stream, until the provider can send no more. */
async function stopReading(name: keyof typeof events, encoding = "") {
  const leaving = new AbortController();
  const { signal } = leaving;
  const { body, sent } = await open(name, encoding, signal);

  const client = { json: {}, mayHave: () => true, mayHaveLonger: () => false };
  const written = { alias: "m", id: "c", created: 1, promptCharacters: 0n, sessionId: "" };
  const context = { ...written, client, kind: vendors[name], readUsageBlock };
  const counter = new UsageCounter();
  const reading = { events: new ChatEvents(context), context, counter, choices: 1n };
  const parts = forwardChunks(body, signal, reading, unlimited);
  await parts.next();
  return { parts, counter, leaving, sent, name: `${name} ${encoding}` };
}

/**
 * Resolves when this thread has computed next to nothing for a while: all connections are paused. Its CPU time is
 * measured, because a thread that waits for a processor of a busy machine is not idle.
 */
async function untilIdle() {
  const usedMs = ({ user, system } = process.threadCpuUsage()) => (user + system) / 1_000;
  let before = usedMs();
  let idle = 0;
  await vi.waitFor(() => {
    const used = usedMs() - before;
    before += used;
    idle = used < 0.2 * waiting.interval ? idle + 1 : 0;
    expect(idle).toBeGreaterThanOrEqual(20);
  }, waiting);
}

test("all that a provider has sent counts when a client that reads slowly leaves", async () => {
  const streams = await Promise.all([
    stopReading("openai"),
    stopReading("openai", "gzip"),
    stopReading("anthropic"),
    stopReading("anthropic", "gzip"),
    stopReading("google"),
  ]);
  await untilIdle();
  const leave = async ({ name, parts, counter, leaving }: (typeof streams)[number]) => {
    expect(counter.text.length, name).toBeLessThan(0.5 * count * word.length);
    leaving.abort(new PeerError("cancelled", "the caller cancelled the call"));
    await parts.return(undefined);
    expect(counter.text.length, name).toBe(count * word.length);
  };
  await Promise.all(streams.map(leave));
});

test("it also counts where the reader of a stream ends, but not where the gateway ends the stream", async () => {
  const [ended, lost] = [await stopReading("google"), await stopReading("anthropic")];
  await untilIdle();
  const { length } = lost.counter.text;
  lost.leaving.abort(new PeerError("unavailable", "the connection to the caller was lost"));
  await Promise.all([ended, lost].map(({ parts }) => parts.return(undefined)));
  expect(ended.counter.text.length).toBe(count * word.length);
  expect(lost.counter.text.length).toBe(length);
  for (const { sent } of [ended, lost]) {
    await vi.waitFor(() => expect(sent()?.socket?.destroyed ?? true).toBe(true), waiting);
  }
});
