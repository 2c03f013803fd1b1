import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { ClientSocket } from "./client-socket.ts";

const pingEveryMs = 20_000;
const closeTimeoutMs = 30_000;
/** Longer than any test advances its timers. */
const neverMs = 1_000_000;
/** Less than the suite's own limit, so that a missing ping fails the test early. */
const testMs = 20_000;

async function connect({ autoPong }: { autoPong: boolean }) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const server = new WebSocketServer({ port: 0, WebSocket: ClientSocket });
  const connected = once(server, "connection") as Promise<[ClientSocket]>;
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = { autoPong, closeTimeout: neverMs };
  const client = new WebSocket(url, options);
  const [[socket]] = await Promise.all([connected, once(client, "open")]);
  socket.startReading();
  onTestFinished(() => {
    vi.useRealTimers();
    client.terminate();
    server.close();
  });
  return { client, socket };
}

test(
  "the connection to a client that does not respond to pings is closed",
  async () => {
    const { client, socket } = await connect({ autoPong: false });
    const pinged = once(client, "ping");
    vi.advanceTimersByTime(pingEveryMs);
    await pinged;
    expect(socket.disconnected.aborted).toBe(false);
    vi.advanceTimersByTime(pingEveryMs);
    await vi.waitFor(() => expect(socket.disconnected.aborted).toBe(true), { timeout: 10_000 });
  },
  testMs,
);

test(
  "a client that responds to pings may send no frames for any time",
  async () => {
    const { socket } = await connect({ autoPong: true });
    for (let span = 0; span < 5; span += 1) {
      const ponged = once(socket, "pong");
      vi.advanceTimersByTime(pingEveryMs);
      await ponged;
    }
    expect(socket.disconnected.aborted).toBe(false);
  },
  testMs,
);

test(
  "a client is paused by the bytes of its unread frames, and no frame is lost",
  async () => {
    const { client, socket } = await connect({ autoPong: true });
    const frame = Buffer.alloc(512 * 1024);
    for (let sent = 0; sent < 8; sent += 1) client.send(frame);
    client.close();
    await vi.waitFor(() => expect(socket.isPaused).toBe(true), { timeout: 10_000 });
    let bytes = 0;
    for await (const next of socket.frames) bytes += next.kind === "audio" ? next.audio.length : 0;
    expect(bytes).toBe(8 * frame.length);
  },
  testMs,
);

/** Makes the next ping due at the moment when reading from a paused client resumes. */
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
  "a paused client has a full ping interval to respond in after reading resumes",
  async () => {
    const { client, socket } = await connect({ autoPong: true });
    for (let sent = 0; sent < 8; sent += 1) client.send(Buffer.alloc(512 * 1024));
    client.close();
    await vi.waitFor(() => expect(socket.isPaused).toBe(true), { timeout: 10_000 });
    vi.advanceTimersByTime(pingEveryMs);
    pingOnResume();
    let frames = 0;
    for await (const _ of socket.frames) frames += 1;
    expect(frames).toBe(8);
    expect(socket.disconnected.aborted).toBe(false);
  },
  testMs,
);

test(
  "a paused client has a full ping interval after the session ends, and is sent a close frame",
  async () => {
    const { client, socket } = await connect({ autoPong: true });
    for (let sent = 0; sent < 8; sent += 1) client.send(Buffer.alloc(512 * 1024));
    await vi.waitFor(() => expect(socket.isPaused).toBe(true), { timeout: 10_000 });
    vi.advanceTimersByTime(pingEveryMs);
    pingOnResume();
    const closed = once(client, "close");
    socket.finish(1_000);
    expect((await closed)[0]).toBe(1_000);
  },
  testMs,
);

test("the connection ends as soon as the client has responded to the close frame", async () => {
  const { client, socket } = await connect({ autoPong: true });
  const server = once(rawSocketOf(socket), "finish");
  // A client of ws would end the connection by itself.
  rawSocketOf(client).end = function () {
    return this;
  };
  socket.finish(1_000);
  await server;
  expect(socket.readyState).toBe(socket.CLOSING);
});

test("a client that does not respond to the close frame is disconnected", async () => {
  const { client, socket } = await connect({ autoPong: true });
  client.pause();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  socket.finish(1_000);
  vi.advanceTimersByTime(closeTimeoutMs - 1_000);
  expect(socket.disconnected.aborted).toBe(false);
  const closed = once(socket, "close");
  vi.advanceTimersByTime(1_000);
  await closed;
  expect(socket.disconnected.aborted).toBe(true);
});

/** Returns the TCP connection of a WebSocket. */
function rawSocketOf(socket: WebSocket): Socket {
  return (socket as unknown as { _socket: Socket })._socket;
}
