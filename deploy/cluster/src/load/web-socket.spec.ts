import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { openSocket } from "./web-socket.ts";

let server: Server;

afterEach(() => server.close());

type Upgrade = (request: IncomingMessage, socket: Socket) => void;

async function open(onUpgrade: Upgrade) {
  server = createServer();
  server.on("upgrade", onUpgrade);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/live`;
  return openSocket(url, { key: "key", host: "gateway.test" });
}

const switching =
  "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n";
const hello = Buffer.from([0x81, 5, ...Buffer.from("Hello")]);
const close = Buffer.from([0x88, 2, 0x03, 0xe8]);

test("a socket sends the key and the host, and resolves with its texts and close code", async () => {
  const seen: IncomingMessage["headers"][] = [];
  const socket = await open(({ headers }, connection) => {
    seen.push(headers);
    // The first frame comes with the head of the upgrade.
    connection.write(Buffer.concat([Buffer.from(switching), hello]));
    connection.once("data", () => connection.write(Buffer.concat([hello, close])));
  });
  socket.sendText("flush");
  expect(await socket.closed).toEqual({ code: 1_000, texts: ["Hello", "Hello"] });
  expect(seen).toMatchObject([{ authorization: "Bearer key", host: "gateway.test" }]);
});

test("a connection that is cut off has the code 1006", async () => {
  const socket = await open((_, connection) => {
    connection.write(switching, () => connection.destroy());
  });
  expect(await socket.closed).toEqual({ code: 1_006, texts: [] });
});

test("a refused upgrade throws its status", async () => {
  const refused = open((_, connection) => connection.end("HTTP/1.1 402 Payment Required\r\n\r\n"));
  await expect(refused).rejects.toThrow("402 instead of an upgrade");
});
