import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { stopperOf } from "./stop-server.ts";

const request = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

async function start() {
  const server = createServer((_req, res) => res.end("ok"));
  const stop = stopperOf(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { server, stop, dial: () => connect(port, "127.0.0.1") };
}

function connected(sockets: readonly Socket[]): Promise<unknown> {
  return Promise.all(sockets.map((socket) => once(socket, "connect")));
}

test("connections in the backlog of a server that stops are still served", async () => {
  // A busy machine takes longer for so many than the server accepts them.
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { stop, dial } = await start();
  const clients = Array.from({ length: 64 }, dial);
  await connected(clients);
  for (const client of clients) client.write(request);
  const stopped = stop(60_000);
  for (const response of await Promise.all(clients.map(text))) expect(response).toMatch(/ok$/);
  await stopped;
});

test("a client that sends its request soon is served, one that sends none is disconnected", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { server, stop, dial } = await start();
  const [sending, silent] = [dial(), dial()];
  await connected([sending, silent]);
  const ended = text(silent);
  const stopped = stop(60_000);
  while (server.listening) await nextTurn();
  vi.advanceTimersByTime(500);
  sending.write(request);
  expect(await text(sending)).toMatch(/ok$/);
  expect(silent.closed).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(await ended).toBe("");
  await stopped;
});

test("clients that connect repeatedly do not prevent the server from stopping", async () => {
  const { server, stop, dial } = await start();
  const stopped = stop(60_000);
  while (server.listening) {
    const client = dial().on("error", () => {});
    client.once("connect", () => client.destroy());
    await nextTurn();
  }
  await stopped;
});
