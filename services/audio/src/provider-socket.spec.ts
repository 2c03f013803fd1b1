import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Slot } from "@tollgate/catalog/model";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { connectProvider } from "./provider-socket.ts";

const pingEveryMs = 20_000;
/** A ping that never comes is noticed sooner than by the suite's own limit. */
const testMs = 20_000;
const slot = { provider: { timeoutMs: 60_000 } } as Slot;

async function connect({ autoPong }: { autoPong: boolean }) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const server = new WebSocketServer({ port: 0, autoPong });
  const connected = once(server, "connection") as Promise<[WebSocket]>;
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const providers = { streamUrl: () => url, streamHeaders: () => ({}) };
  const { signal } = new AbortController();
  const client = providers as unknown as ProviderClient;
  const socket = await connectProvider(slot, client, "req_1", signal);
  const [provider] = await connected;
  onTestFinished(() => {
    vi.useRealTimers();
    socket.close();
    server.close();
  });
  return { socket, provider };
}

test(
  "a provider that answers no ping is given up",
  async () => {
    const { socket, provider } = await connect({ autoPong: false });
    const failing = expect(async () => {
      for await (const _ of socket.events);
    }).rejects.toThrow("the provider's connection ended");
    const pinged = once(provider, "ping");
    vi.advanceTimersByTime(pingEveryMs);
    await pinged;
    vi.advanceTimersByTime(pingEveryMs);
    await failing;
  },
  testMs,
);

test(
  "one that answers may be silent for as long as it likes",
  async () => {
    const { provider } = await connect({ autoPong: true });
    for (let span = 0; span < 5; span += 1) {
      const pinged = once(provider, "ping");
      vi.advanceTimersByTime(pingEveryMs);
      await pinged;
      // The answer to this ping comes behind that to the gateway's own.
      provider.ping();
      await once(provider, "pong");
    }
    expect(provider.readyState).toBe(provider.OPEN);
  },
  testMs,
);

test(
  "a provider whose events nobody takes is slowed by their bytes, and they are all read then",
  async () => {
    const { socket, provider } = await connect({ autoPong: true });
    const pause = vi.spyOn(WebSocket.prototype, "pause");
    onTestFinished(() => pause.mockRestore());
    const event = JSON.stringify({ text: "x".repeat(512 * 1024) });
    for (let sent = 0; sent < 8; sent += 1) provider.send(event);
    provider.close(1_000);
    await vi.waitFor(() => expect(pause).toHaveBeenCalled(), { timeout: 10_000 });
    let events = 0;
    for await (const _ of socket.events) events += 1;
    expect(events).toBe(8);
  },
  testMs,
);

test(
  "one that was slowed has a span of its own to answer in, from when it is read again",
  async () => {
    const { socket, provider } = await connect({ autoPong: true });
    const { resume } = WebSocket.prototype;
    const pause = vi.spyOn(WebSocket.prototype, "pause");
    const resumed = vi.spyOn(WebSocket.prototype, "resume");
    onTestFinished(() => {
      pause.mockRestore();
      resumed.mockRestore();
    });
    resumed.mockImplementationOnce(function (this: WebSocket) {
      resume.call(this);
      vi.advanceTimersByTime(pingEveryMs);
    });
    const event = JSON.stringify({ text: "x".repeat(512 * 1024) });
    for (let sent = 0; sent < 8; sent += 1) provider.send(event);
    provider.close(1_000);
    await vi.waitFor(() => expect(pause).toHaveBeenCalled(), { timeout: 10_000 });
    vi.advanceTimersByTime(pingEveryMs);
    let events = 0;
    for await (const _ of socket.events) events += 1;
    expect(events).toBe(8);
  },
  testMs,
);
