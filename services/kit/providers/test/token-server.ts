import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request to a token server. */
export interface TokenRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | undefined>>;
  body: string;
}

/** Its response; undefined for none at all. */
export type TokenReply =
  | { status?: number; type?: string; headers?: Record<string, string>; body: string | object }
  | undefined;

/** Starts a token server that responds by `reply`, and records what it is sent. Without a port, it chooses one. */
export async function startTokenServer(
  reply: (request: TokenRequest) => TokenReply,
  ownPort?: number,
) {
  const requests: TokenRequest[] = [];
  const server = createServer(async (message, response) => {
    let body = "";
    for await (const chunk of message) body += chunk;
    const { method = "", url: path = "" } = message;
    const headers = message.headers as TokenRequest["headers"];
    const request = { method, path, headers, body };
    requests.push(request);
    const sent = reply(request);
    if (sent === undefined) return;
    const { status = 200, type = "application/json" } = sent;
    response.writeHead(status, { "content-type": type, ...sent.headers });
    response.end(typeof sent.body === "string" ? sent.body : JSON.stringify(sent.body));
  }).listen(ownPort ?? 0, "127.0.0.1");
  let connections = 0;
  server.on("connection", (socket) => {
    connections += 1;
    socket.once("close", () => {
      connections -= 1;
    });
  });
  await once(server, "listening");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, requests, open: () => connections, close };
}
