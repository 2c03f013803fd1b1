import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { LiveSocket } from "./live-socket.ts";

const pingEveryMs = 20_000;
/** A ping that never comes is noticed sooner than by the suite's own limit. */
const testMs = 20_000;

async function connect({ autoPong }: { autoPong: boolean }) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const server = new WebSocketServer({ port: 0, WebSocket: LiveSocket });
  const connected = once(server, "connection") as Promise<[LiveSocket]>;
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    autoPong,
  });
  const [[live]] = await Promise.all([connected, once(client, "open")]);
  live.open();
  onTestFinished(() => {
    vi.useRealTimers();
    client.terminate();
    server.close();
  });
  return { client, live };
}

test(
  "a client that answers no ping is given up",
  async () => {
    const { client, live } = await connect({ autoPong: false });
    const pinged = once(client, "ping");
    vi.advanceTimersByTime(pingEveryMs);
    await pinged;
    expect(live.gone.aborted).toBe(false);
    vi.advanceTimersByTime(pingEveryMs);
    await vi.waitFor(() => expect(live.gone.aborted).toBe(true), { timeout: 10_000 });
  },
  testMs,
);

test(
  "one that answers may be silent for as long as it likes",
  async () => {
    const { live } = await connect({ autoPong: true });
    for (let span = 0; span < 5; span += 1) {
      const answered = once(live, "pong");
      vi.advanceTimersByTime(pingEveryMs);
      await answered;
    }
    expect(live.gone.aborted).toBe(false);
  },
  testMs,
);

test(
  "a client whose frames nobody takes is slowed by their bytes, and its frames are all read then",
  async () => {
    const { client, live } = await connect({ autoPong: true });
    const frame = Buffer.alloc(512 * 1024);
    for (let sent = 0; sent < 8; sent += 1) client.send(frame);
    client.close();
    await vi.waitFor(() => expect(live.isPaused).toBe(true), { timeout: 10_000 });
    let bytes = 0;
    for await (const next of live.frames) bytes += next.kind === "audio" ? next.audio.length : 0;
    expect(bytes).toBe(8 * frame.length);
  },
  testMs,
);

/** The next ping is due at the moment when a slowed client is read again. */
function pingOnResume(): void {
  const { resume } = WebSocket.prototype;
  const resumed = vi.spyOn(WebSocket.prototype, "resume");
  onTestFinished(() => resumed.mockRestore());
  resumed.mockImplementationOnce(function (this: WebSocket) {
    resume.call(this);
    vi.advanceTimersByTime(pingEveryMs);
  });
}

test(
  "a client that was slowed has a span of its own to answer in, from when it is read again",
  async () => {
    const { client, live } = await connect({ autoPong: true });
    for (let sent = 0; sent < 8; sent += 1) client.send(Buffer.alloc(512 * 1024));
    client.close();
    await vi.waitFor(() => expect(live.isPaused).toBe(true), { timeout: 10_000 });
    vi.advanceTimersByTime(pingEveryMs);
    pingOnResume();
    let frames = 0;
    for await (const _ of live.frames) frames += 1;
    expect(frames).toBe(8);
    expect(live.gone.aborted).toBe(false);
  },
  testMs,
);

test(
  "so it has where it is told the end, which it still hears",
  async () => {
    const { client, live } = await connect({ autoPong: true });
    for (let sent = 0; sent < 8; sent += 1) client.send(Buffer.alloc(512 * 1024));
    await vi.waitFor(() => expect(live.isPaused).toBe(true), { timeout: 10_000 });
    vi.advanceTimersByTime(pingEveryMs);
    pingOnResume();
    const closed = once(client, "close");
    live.finish(1_000);
    expect((await closed)[0]).toBe(1_000);
  },
  testMs,
);
