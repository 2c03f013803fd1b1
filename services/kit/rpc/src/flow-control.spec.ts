import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type ClientHttp2Stream, connect, type Http2Session } from "node:http2";
import { type AddressInfo, createServer } from "node:net";
import { createLog } from "@tollgate/core/log";
import { createTrust } from "@tollgate/core/peer-auth";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "./client.ts";
import { answerWindowBytes, requestWindowBytes } from "./flow-control.ts";
import { serveGrpc } from "./grpc-server.ts";
import { createGrpcTransport } from "./grpc-transport.ts";
import { offer } from "./implementation.ts";

const trust = createTrust(undefined);
const patient = { timeoutMs: 60_000 };

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
  const chat = offer(ChatService, {
    complete: async () => ({}),
    async *stream() {},
    embed: async ({ body }) => ({ body }),
  });
  const server = await serveGrpc(address, [chat], { log: createLog("silent"), trust });
  onTestFinished(() => server.stop(0));
  return address;
}

async function connectChat() {
  const transport = createGrpcTransport(await serve(), trust);
  onTestFinished(transport.close);
  return createClient(ChatService, transport);
}

test("much of requests may be on its way, on a connection and its streams", async () => {
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

test("little of answers may be, whatever Node's own window is", async () => {
  const sessions = new Set<Http2Session | undefined>();
  const note = (message: unknown) => {
    sessions.add((message as { stream: ClientHttp2Stream }).stream.session);
  };
  subscribe("http2.client.stream.created", note);
  onTestFinished(() => void unsubscribe("http2.client.stream.created", note));
  await (await connectChat()).complete({});
  expect(sessions.size).toBeGreaterThan(0);
  for (const session of sessions) {
    expect(session?.localSettings.initialWindowSize).toBe(answerWindowBytes);
    expect(session?.state.effectiveLocalWindowSize).toBe(answerWindowBytes);
  }
});

test("two ends that send much at once do not wait for each other", async () => {
  const client = await connectChat();
  const body = Buffer.alloc(8 * requestWindowBytes, "0123456789");
  const asked = Array.from({ length: 4 }, () => client.embed({ body }, patient));
  for (const answer of await Promise.all(asked)) expect(body.equals(answer.body)).toBe(true);
});
