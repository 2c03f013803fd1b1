import { once } from "node:events";
import type { DescService } from "@bufbuild/protobuf";
import { GatewayError, PeerError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { createTrust } from "@tollgate/core/peer-auth";
import { freePort } from "@tollgate/local/free-port";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { describe, expect, onTestFinished, test } from "vitest";
import { failureOf, readAll } from "../test/call-outcome.ts";
import { createClient, type Transport } from "./client.ts";
import { serveGrpc } from "./grpc-server.ts";
import { createGrpcTransport } from "./grpc-transport.ts";
import { type Implementation, type Offer, offer } from "./implementation.ts";
import { createLocalTransport } from "./local-transport.ts";

const log = createLog("silent");
const trust = createTrust("fleet-secret");

type Chat = Partial<Implementation<typeof ChatService>>;
type Ledger = Partial<Implementation<typeof LedgerService>>;

async function inProcess(offers: readonly Offer[]): Promise<Transport> {
  const transport = createLocalTransport(log);
  for (const each of offers) transport.add(each);
  return transport;
}

async function overGrpc(offers: readonly Offer[]): Promise<Transport> {
  const address = `127.0.0.1:${await freePort()}`;
  const server = await serveGrpc(address, offers, { log, trust });
  const transport = createGrpcTransport(address, trust);
  onTestFinished(async () => {
    transport.close();
    await server.stop(100);
  });
  return transport;
}

/** Offers what a test needs of a service; the rest of its methods raise. */
function offerSome<S extends DescService>(service: S, some: Partial<Implementation<S>>): Offer {
  const missing = async () => {
    throw new Error("this test calls no such method");
  };
  const others = service.methods.map(({ localName }) => [localName, missing]);
  return offer(service, { ...Object.fromEntries(others), ...some });
}

function whenAborted(signal: AbortSignal): Promise<unknown> {
  return signal.aborted ? Promise.resolve() : once(signal, "abort");
}

describe.each([
  ["in the process", inProcess],
  ["over gRPC", overGrpc],
])("a call %s", (_, connect) => {
  async function chatClient(some: Chat) {
    return createClient(ChatService, await connect([offerSome(ChatService, some)]));
  }

  async function ledgerClient(some: Ledger) {
    return createClient(LedgerService, await connect([offerSome(LedgerService, some)]));
  }

  test("hands over the request and its answer, 64-bit amounts exactly", async () => {
    const largest = 2n ** 64n - 1n;
    const client = await ledgerClient({
      async hold({ holdId, estimateNanoUsd }) {
        return { heldNanoUsd: estimateNanoUsd - 1n, expiresInMs: holdId.length };
      },
    });
    const answer = await client.hold({ holdId: "four", estimateNanoUsd: largest });
    expect(answer).toMatchObject({
      heldNanoUsd: largest - 1n,
      expiresInMs: 4,
      walletHeldNanoUsd: 0n,
    });
  });

  test("tells an absent message from an empty one", async () => {
    const client = await ledgerClient({
      async getWallet({ accountId }) {
        return accountId === "" ? {} : { wallet: { accountId } };
      },
    });
    expect((await client.getWallet({})).wallet).toBeUndefined();
    expect((await client.getWallet({ accountId: "a" })).wallet).toMatchObject({
      accountId: "a",
      balanceNanoUsd: 0n,
    });
  });

  test("reaches the service that it names, of several", async () => {
    const transport = await connect([
      offerSome(LedgerService, { getSpend: async () => ({ spendNanoUsd: 5n }) }),
      offerSome(ChatService, { complete: async () => ({ totalTokens: 7n }) }),
    ]);
    const spend = await createClient(LedgerService, transport).getSpend({});
    const completion = await createClient(ChatService, transport).complete({});
    expect([spend.spendNanoUsd, completion.totalTokens]).toEqual([5n, 7n]);
  });

  test("carries a refusal with its code, status, param and time to retry", async () => {
    const client = await chatClient({
      async complete() {
        const details = { param: "messages[2].role", retryAfterSeconds: 7 };
        throw new GatewayError("rate_limited", "Slow down: später.", details);
      },
    });
    const error = await failureOf(client.complete({}));
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({
      code: "rate_limited",
      message: "Slow down: später.",
      status: 429,
      type: "rate_limit_error",
      param: "messages[2].role",
      retryAfterSeconds: 7,
    });
  });

  test("carries a refusal of a large call whose words were cut within a character", async () => {
    const client = await chatClient({
      async complete() {
        const param = "tools\ud83d";
        throw new GatewayError("upstream_rejected", "The provider said: \ud83d", { param });
      },
    });
    const error = await failureOf(client.complete({ call: { body: Buffer.alloc(300_000, " ") } }));
    expect(error).toMatchObject({
      code: "upstream_rejected",
      message: "The provider said: \ufffd",
      param: "tools\ufffd",
    });
  });

  test("carries a refusal that names no field and no time as one that names none", async () => {
    const client = await chatClient({
      async complete() {
        throw new GatewayError("credit_balance_exhausted", "Top up.");
      },
    });
    const error = await failureOf(client.complete({}));
    expect(error).toMatchObject({ code: "credit_balance_exhausted", status: 402 });
    expect(error).toMatchObject({ param: undefined, retryAfterSeconds: undefined });
  });

  test("carries that a service further on could not be asked", async () => {
    const client = await chatClient({
      async complete() {
        throw new PeerError("unavailable", "the ledger is away");
      },
    });
    const error = await failureOf(client.complete({}));
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "unavailable" });
  });

  test("says nothing of the inside when a handler throws what was not foreseen", async () => {
    const client = await chatClient({
      async complete() {
        throw new TypeError("the password is hunter2");
      },
      // biome-ignore lint/correctness/useYield: it fails before its first message.
      async *stream() {
        throw new TypeError("the password is hunter2");
      },
    });
    const failures = [
      await failureOf(client.complete({})),
      (await readAll(client.stream({}))).error,
    ];
    for (const error of failures) {
      expect(error).toBeInstanceOf(GatewayError);
      expect(error).toMatchObject({ code: "internal_error", status: 500 });
      expect((error as GatewayError).message).not.toContain("hunter2");
    }
  });

  test("ends at its deadline, and so does its handler's signal", async () => {
    let signal: AbortSignal | undefined;
    const client = await chatClient({
      complete(_request, context) {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    const error = await failureOf(client.complete({}, { timeoutMs: 300 }));
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "deadline" });
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  test("ends when its caller goes away, and so does its handler's signal", async () => {
    const entered = Promise.withResolvers<AbortSignal>();
    const client = await chatClient({
      complete(_request, { signal }) {
        entered.resolve(signal);
        return new Promise(() => {});
      },
    });
    const caller = new AbortController();
    const failure = failureOf(client.complete({}, { signal: caller.signal }));
    const signal = await entered.promise;
    expect(signal.aborted).toBe(false);
    caller.abort();
    const error = await failure;
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "cancelled" });
    await expect.poll(() => signal.aborted).toBe(true);
  });

  test("of a caller that has gone already never reaches its handler", async () => {
    let reached = false;
    const client = await chatClient({
      async complete() {
        reached = true;
        return {};
      },
      async *stream() {
        reached = true;
        yield {};
      },
    });
    const gone = { signal: AbortSignal.abort() };
    const { messages, error } = await readAll(client.stream({}, gone));
    for (const failure of [await failureOf(client.complete({}, gone)), error]) {
      expect(failure).toBeInstanceOf(PeerError);
      expect(failure).toMatchObject({ reason: "cancelled" });
    }
    expect([messages, reached]).toEqual([[], false]);
  });

  test("leaves its handler's signal alone once it has been answered", async () => {
    const signals: AbortSignal[] = [];
    const client = await chatClient({
      async complete(_request, { signal }) {
        signals.push(signal);
        return {};
      },
    });
    const caller = new AbortController();
    await client.complete({}, { signal: caller.signal });
    caller.abort();
    // By the second answer, whatever was to follow the first has come.
    await client.complete({});
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });

  test("that streams yields every message in order", async () => {
    const client = await chatClient({
      async *stream() {
        for (let count = 0n; count < 300n; count += 1n) {
          yield { chunks: [Buffer.alloc(1_000)], totalTokens: count };
        }
      },
    });
    const { messages, error } = await readAll(client.stream({}));
    expect(error).toBeUndefined();
    expect(messages.map(({ totalTokens }) => totalTokens)).toEqual(
      Array.from({ length: 300 }, (_, index) => BigInt(index)),
    );
    expect(messages[0]?.chunks[0]).toHaveLength(1_000);
  });

  test("that streams tells of an error after all messages before it", async () => {
    const client = await chatClient({
      async *stream() {
        for (let count = 1n; count <= 50n; count += 1n) yield { totalTokens: count };
        throw new GatewayError("upstream_rejected", "It broke.", { param: "model" });
      },
    });
    const { messages, error } = await readAll(client.stream({}));
    expect(messages).toHaveLength(50);
    expect(messages.at(-1)?.totalTokens).toBe(50n);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: "upstream_rejected", status: 502, param: "model" });
  });

  test("that streams ends its handler's generator when the loop is left early", async () => {
    let ended = false;
    const client = await chatClient({
      async *stream() {
        try {
          for (let count = 0n; ; count += 1n) yield { totalTokens: count };
        } finally {
          ended = true;
        }
      },
    });
    for await (const { totalTokens } of client.stream({})) if (totalTokens === 3n) break;
    await expect.poll(() => ended).toBe(true);
  });

  test("that streams ends when its caller goes away, and so does its generator", async () => {
    let ended = false;
    const client = await chatClient({
      async *stream(_request, { signal }) {
        try {
          yield { totalTokens: 1n };
          await whenAborted(signal);
          throw signal.reason;
        } finally {
          ended = true;
        }
      },
    });
    const caller = new AbortController();
    const stream = client.stream({}, { signal: caller.signal })[Symbol.asyncIterator]();
    expect((await stream.next()).value).toMatchObject({ totalTokens: 1n });
    caller.abort();
    const error = await failureOf(stream.next());
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "cancelled" });
    await expect.poll(() => ended).toBe(true);
  });

  test("that streams ends at its deadline, between two messages too", async () => {
    let ended = false;
    const client = await chatClient({
      async *stream(_request, { signal }) {
        try {
          yield { totalTokens: 1n };
          await whenAborted(signal);
          throw signal.reason;
        } finally {
          ended = true;
        }
      },
    });
    // Afterwards there is a line, which takes nothing of the deadline.
    await failureOf(client.complete({}));
    const { messages, error } = await readAll(client.stream({}, { timeoutMs: 300 }));
    expect(messages).toHaveLength(1);
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "deadline" });
    await expect.poll(() => ended).toBe(true);
  });

  test.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
    ["returns as if it were done", (signal) => whenAborted(signal)],
    [
      "raises the AbortError of what it waited for",
      (signal) => once(new EventTarget(), "x", { signal }),
    ],
    ["does not heed its signal", () => new Promise(() => {})],
  ])("that streams is told of its deadline also where its handler %s", async (_, wait) => {
    const client = await chatClient({
      async *stream(_request, { signal }) {
        yield { totalTokens: 1n };
        await wait(signal);
      },
    });
    // Afterwards there is a line, which takes nothing of the deadline.
    await failureOf(client.complete({}));
    const { messages, error } = await readAll(client.stream({}, { timeoutMs: 300 }));
    expect(messages).toHaveLength(1);
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "deadline" });
  });
});
