import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { createAuthority, createCertificate } from "@tollgate/local/test-certificates";
import { vendors } from "@tollgate/providers";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { connectProvider } from "./provider-socket.ts";

const pingEveryMs = 20_000;
/** Less than the suite's own limit, so that a missing ping fails the test early. */
const testMs = 20_000;
/** Longer than any test advances its timers. */
const neverMs = 1_000_000;
const provider = { kind: vendors.openai as ProviderKind, timeoutMs: 60_000 };
const slot = { provider } as Slot;

async function connect({ autoPong }: { autoPong: boolean }) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const options = { port: 0, autoPong, closeTimeout: neverMs };
  const server = new WebSocketServer(options);
  server.on("headers", (headers) => headers.push("x-request-id: up-1"));
  const connected = once(server, "connection") as Promise<[WebSocket]>;
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const providers = {
    streamUrl: () => url,
    streamHeaders: async () => ({}),
    streamConnection: () => ({}),
    readUpgrade: vi.fn(),
  };
  const { signal } = new AbortController();
  const client = providers as unknown as ProviderClient;
  const socket = await connectProvider(slot, client, "req_1", signal);
  const [provider] = await connected;
  onTestFinished(() => {
    vi.useRealTimers();
    socket.close();
    server.close();
  });
  return { socket, provider, readUpgrade: providers.readUpgrade };
}

test("a provider whose certificate is not trusted is sent nothing, and the failure says why", async () => {
  const certificate = await createCertificate(await createAuthority(), "127.0.0.1");
  const server = createServer(certificate).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const client = {
    streamUrl: () => `wss://127.0.0.1:${port}`,
    streamHeaders: async () => ({}),
    streamConnection: () => ({}),
    readUpgrade: () => {},
  } as unknown as ProviderClient;
  const connecting = connectProvider(slot, client, "req_1", new AbortController().signal);
  await expect(connecting).rejects.toMatchObject({
    meaning: "unreachable",
    message: expect.stringContaining("does not trust the authority"),
  });
});

test("the headers of the provider's response to the upgrade are read for the id of the request", async () => {
  const { readUpgrade } = await connect({ autoPong: true });
  const headers = expect.objectContaining({ "x-request-id": "up-1" });
  expect(readUpgrade).toHaveBeenCalledExactlyOnceWith("req_1", headers);
});

test(
  "the connection to a provider that does not respond to pings is closed",
  async () => {
    const { socket, provider } = await connect({ autoPong: false });
    const failing = expect(async () => {
      for await (const _ of socket.events);
    }).rejects.toThrow("the provider's connection closed");
    const pinged = once(provider, "ping");
    vi.advanceTimersByTime(pingEveryMs);
    await pinged;
    vi.advanceTimersByTime(pingEveryMs);
    await failing;
  },
  testMs,
);

test(
  "a provider that responds to pings may send no events for any time",
  async () => {
    const { provider } = await connect({ autoPong: true });
    for (let span = 0; span < 5; span += 1) {
      const pinged = once(provider, "ping");
      vi.advanceTimersByTime(pingEveryMs);
      await pinged;
      // The pong to this ping comes after the provider's pong to the gateway.
      provider.ping();
      await once(provider, "pong");
    }
    expect(provider.readyState).toBe(provider.OPEN);
  },
  testMs,
);

test(
  "a provider is paused by the bytes of its unread events, and no event is lost",
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
  "a paused provider has a full ping interval to respond in after reading resumes",
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

test("data is reported as not sent once the provider is closing", async () => {
  const { socket, provider } = await connect({ autoPong: true });
  expect(await socket.send(Buffer.alloc(2))).toBe(true);
  provider.close(1_000);
  for await (const _ of socket.events);
  expect(await socket.send(Buffer.alloc(2))).toBe(false);
});
