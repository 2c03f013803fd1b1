import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type ClientHttp2Stream, connect, type Http2Session } from "node:http2";
import { type AddressInfo, createServer } from "node:net";
import { createLog } from "@tollgate/core/log";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "./client.ts";
import { requestWindowBytes, responseWindowBytes } from "./flow-control.ts";
import { serveGrpc } from "./grpc-server.ts";
import { createGrpcTransport } from "./grpc-transport.ts";
import { bindService } from "./implementation.ts";

const peerAuth = createPeerAuth({});
const longTimeout = { timeoutMs: 60_000 };

async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `127.0.0.1:${port}`;
}

async function serve(): Promise<string> {
  const address = await freeAddress();
  const chat = bindService(ChatService, {
    complete: async () => ({}),
    async *stream() {},
    countTokens: async () => ({}),
    embed: async ({ body }) => ({ body }),
  });
  const server = await serveGrpc(address, [chat], { log: createLog("silent"), peerAuth });
  onTestFinished(() => server.stop(0));
  return address;
}

async function connectChat() {
  const transport = createGrpcTransport(await serve(), peerAuth);
  onTestFinished(transport.close);
  return createClient(ChatService, transport);
}

test("the window of requests is wide, on a connection and on its streams", async () => {
  const session = connect(`http://${await serve()}`);
  onTestFinished(() => session.close());
  await once(session, "remoteSettings");
  session
    .request({ ":method": "POST", ":path": "/nowhere" })
    .on("error", () => {})
    .end();
  await expect.poll(() => session.remoteSettings.initialWindowSize).toBe(requestWindowBytes);
  await expect.poll(() => session.state.remoteWindowSize).toBe(requestWindowBytes);
});

test("the window of responses is HTTP/2's default, whatever Node's default is", async () => {
  const sessions = new Set<Http2Session | undefined>();
  const record = (message: unknown) => {
    sessions.add((message as { stream: ClientHttp2Stream }).stream.session);
  };
  subscribe("http2.client.stream.created", record);
  onTestFinished(() => void unsubscribe("http2.client.stream.created", record));
  await (await connectChat()).complete({});
  expect(sessions.size).toBeGreaterThan(0);
  for (const session of sessions) {
    expect(session?.localSettings.initialWindowSize).toBe(responseWindowBytes);
    expect(session?.state.effectiveLocalWindowSize).toBe(responseWindowBytes);
  }
});

test("two ends that send large messages at the same time do not deadlock", async () => {
  const client = await connectChat();
  const body = Buffer.alloc(8 * requestWindowBytes, "0123456789");
  const calls = Array.from({ length: 4 }, () => client.embed({ body }, longTimeout));
  for (const response of await Promise.all(calls)) expect(body.equals(response.body)).toBe(true);
});
