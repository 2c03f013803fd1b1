import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { onTestFinished } from "vitest";

interface Options {
  /** The port that every tunnel leads to, whatever its host: only the proxy knows the name. */
  port: number;
  /** What a client must send as its user and password. */
  credentials?: string;
}

/** Starts a proxy for HTTPS on the loopback address. Returns its address, and the tunnels that were asked for. */
export async function startConnectProxy({ port, credentials }: Options) {
  const tunnels: string[] = [];
  const server = createServer().listen(0, "127.0.0.1");
  const sockets = new Set<{ destroy(): void }>();
  server.on("connect", ({ url, headers }, client) => {
    tunnels.push(url ?? "");
    const expected = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
    if (expected !== undefined && headers["proxy-authorization"] !== expected) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const provider = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      provider.pipe(client).pipe(provider);
    });
    for (const socket of [provider, client]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
  });
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const userInfo = credentials === undefined ? "" : `${credentials}@`;
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://${userInfo}127.0.0.1:${own}`, tunnels };
}
