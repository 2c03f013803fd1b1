import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createSocketServer } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { stopperOf } from "@tollgate/http/stop-server";
import { expect, onTestFinished, test } from "vitest";
import { createAcceptors, listenTogether } from "./acceptors.ts";

const wanted = { host: "127.0.0.1", port: 0 };

async function start() {
  const server = createServer((_req, res) => res.end("ok"));
  const acceptors = createAcceptors(server);
  const stop = stopperOf(server, acceptors);
  await listenTogether(server, acceptors, wanted);
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => stop(0));
  return { server, port, stop };
}

test("concurrent clients are accepted several per turn of the event loop", async () => {
  const { server, port } = await start();
  const clients = 64;
  let accepted = 0;
  server.on("connection", () => {
    accepted += 1;
  });
  const sockets = Array.from({ length: clients }, () => connect(port, wanted.host));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  let turns = 0;
  for (; accepted < clients; turns += 1) await nextTurn();
  expect(turns).toBeLessThan(clients / 2);
  for (const socket of sockets) socket.destroy();
});

test("every connection is served, whichever socket accepted it", async () => {
  const { port } = await start();
  const bodies = await Promise.all(
    Array.from({ length: 64 }, async () => (await fetch(`http://${wanted.host}:${port}`)).text()),
  );
  expect(new Set(bodies)).toEqual(new Set(["ok"]));
});

test("a port in use is not shared", async () => {
  const { port } = await start();
  const server = createServer();
  const second = listenTogether(server, createAcceptors(server), { ...wanted, port });
  await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("a stopped server frees its port, and closes idle connections", async () => {
  const { port, stop } = await start();
  const sockets = Array.from({ length: 32 }, () => connect(port, wanted.host));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  const ended = Promise.all(sockets.map((socket) => once(socket.resume(), "end")));
  await stop(60_000);
  await ended;
  const next = createSocketServer().listen(port, wanted.host);
  await once(next, "listening");
  next.close();
});
