import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type handleBidiStreamingCall, Server, ServerCredentials } from "@grpc/grpc-js";
import { createLog, type Log } from "@tollgate/core/log";
import { createTrust } from "@tollgate/core/peer-auth";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { createClient } from "./client.ts";
import { serveGrpc } from "./grpc-server.ts";
import { createGrpcTransport } from "./grpc-transport.ts";
import { type Implementation, offer } from "./implementation.ts";
import { trunkMethod } from "./mux.ts";

type Chat = Implementation<typeof ChatService>;

const trust = createTrust(undefined);
const silent = createLog("silent");
const folder = await mkdtemp(join(tmpdir(), "tollgate-endings-"));
const place = (name: string) => `unix:${join(folder, name)}`;

afterAll(() => rm(folder, { recursive: true, force: true }));

async function serve(address: string, some: Partial<Chat>, log: Log = silent): Promise<void> {
  const chat: Chat = {
    complete: async () => ({}),
    async *stream() {},
    embed: async () => ({}),
    ...some,
  };
  const server = await serveGrpc(address, [offer(ChatService, chat)], { log, trust });
  onTestFinished(() => server.stop(0));
}

function connect(address: string) {
  const transport = createGrpcTransport(address, trust);
  onTestFinished(transport.close);
  return { transport, client: createClient(ChatService, transport) };
}

/** A replica that takes calls, begins none of them, and says after so long that it has ended. */
async function serveNothing(address: string, afterMs: number): Promise<void> {
  const server = new Server();
  const trunk: handleBidiStreamingCall<unknown, Buffer> = (stream) => {
    stream.on("data", () => {});
    setTimeout(() => stream.end(), afterMs);
  };
  server.addService({ trunk: trunkMethod }, { trunk });
  await new Promise<void>((resolve) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), () => resolve());
  });
  onTestFinished(() => server.forceShutdown());
}

test("a call that was not begun goes on to another replica, however late that is known", async () => {
  const [ending, other] = [place("ending"), place("other")];
  await serveNothing(ending, 1_200);
  await serve(other, {});
  const { client } = connect(`${ending},${other}`);
  const calls = Array.from({ length: 6 }, () => client.complete({}));
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(
    calls.map(() => "fulfilled"),
  );
});

test("what a handler cannot have from a service that is ending is not begun again", async () => {
  await serveNothing(place("further"), 0);
  const further = connect(place("further")).client;
  let begun = 0;
  await serve(place("nested"), {
    async complete() {
      begun += 1;
      return further.complete({});
    },
  });
  const call = connect(place("nested")).client.complete({});
  await expect(call).rejects.toMatchObject({ reason: "unavailable" });
  expect(begun).toBe(1);
});

test("a stream under way goes on to its end when its transport is closed", async () => {
  const count = 3_000;
  await serve(place("stream"), {
    async *stream() {
      for (let index = 0; index < count; index += 1) yield { chunks: [Buffer.alloc(1_000)] };
    },
  });
  const { transport, client } = connect(place("stream"));
  const messages = client.stream({}, { timeoutMs: 60_000 })[Symbol.asyncIterator]();
  await messages.next();
  transport.close();
  let seen = 1;
  while (!(await messages.next()).done) seen += 1;
  expect(seen).toBe(count);
});

test("a call whose caller has gone is no failure of its handler's", async () => {
  const failures: string[] = [];
  const log: Log = { ...silent, error: (_fields, message) => void failures.push(message) };
  const ended = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  await serve(
    place("gone"),
    {
      async complete(_request, { signal }) {
        begun.resolve();
        try {
          await sleep(60_000, undefined, { signal });
        } finally {
          setImmediate(ended.resolve);
        }
        return {};
      },
    },
    log,
  );
  const caller = new AbortController();
  const call = connect(place("gone")).client.complete({}, { signal: caller.signal });
  await begun.promise;
  caller.abort();
  await expect(call).rejects.toMatchObject({ reason: "cancelled" });
  await ended.promise;
  expect(failures).toEqual([]);
});
