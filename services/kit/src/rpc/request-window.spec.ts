import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:http2";
import { connect as connectSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { expect, onTestFinished, test } from "vitest";
import { createLog } from "../log.ts";
import { createTrust } from "../trust.ts";
import { createClient } from "./client.ts";
import { createGrpcTransport } from "./grpc-client.ts";
import { serveGrpc } from "./grpc-server.ts";
import { offer } from "./implementation.ts";
import { requestWindowBytes } from "./request-window.ts";

const trust = createTrust(undefined);

async function serve(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-window-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "socket");
  const chat = offer(ChatService, {
    complete: async () => ({}),
    async *stream() {},
    embed: async ({ body }) => ({ body }),
  });
  const log = createLog("silent");
  const server = await serveGrpc(`unix:${path}`, [chat], { log, trust });
  onTestFinished(() => server.stop(0));
  return path;
}

test("much of requests may be on its way, on a connection and its streams", async () => {
  const path = await serve();
  const session = connect("http://localhost", { createConnection: () => connectSocket(path) });
  onTestFinished(() => session.close());
  await once(session, "remoteSettings");
  session
    .request({ ":method": "POST", ":path": "/nowhere" })
    .on("error", () => {})
    .end();
  await expect.poll(() => session.remoteSettings.initialWindowSize).toBe(requestWindowBytes);
  await expect.poll(() => session.state.remoteWindowSize).toBe(requestWindowBytes);
});

test("two ends that send much at once do not wait for each other", async () => {
  const transport = createGrpcTransport(`unix:${await serve()}`, trust);
  onTestFinished(transport.close);
  const client = createClient(ChatService, transport);
  const body = Buffer.alloc(8 * requestWindowBytes, "0123456789");
  const asked = Array.from({ length: 4 }, () => client.embed({ body }));
  for (const answer of await Promise.all(asked)) expect(body.equals(answer.body)).toBe(true);
});
