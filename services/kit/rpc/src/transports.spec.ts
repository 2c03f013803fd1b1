import { once } from "node:events";
import type { DescService } from "@bufbuild/protobuf";
import { GatewayError, PeerError, serviceUnavailable } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import { freePort } from "@tollgate/local/free-port";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { readAll, rejectionOf } from "../test/call-outcome.ts";
import { createClient, type Transport } from "./client.ts";
import { serveGrpc } from "./grpc-server.ts";
import { createGrpcTransport } from "./grpc-transport.ts";
import {
  bindService,
  type CallContext,
  type Client,
  type Implementation,
  type ServiceBinding,
} from "./implementation.ts";
import { createLocalTransport } from "./local-transport.ts";

const log = createLog("silent");
const peerAuth = createPeerAuth({ fleet: "fleet-secret" });

type Chat = Partial<Implementation<typeof ChatService>>;
type Ledger = Partial<Implementation<typeof LedgerService>>;

async function inProcess(bindings: readonly ServiceBinding[]): Promise<Transport> {
  const transport = createLocalTransport(log);
  for (const binding of bindings) transport.add(binding);
  return transport;
}

async function overGrpc(bindings: readonly ServiceBinding[]): Promise<Transport> {
  const address = `127.0.0.1:${await freePort()}`;
  const server = await serveGrpc(address, bindings, { log, peerAuth });
  const transport = createGrpcTransport(address, peerAuth);
  onTestFinished(async () => {
    transport.close();
    await server.stop(100);
  });
  return transport;
}

/** Binds the methods that a test calls; the others throw. */
function bindSome<S extends DescService>(
  service: S,
  some: Partial<Implementation<S>>,
): ServiceBinding {
  const missing = async () => {
    throw new Error("this test calls no such method");
  };
  const others = service.methods.map(({ localName }) => [localName, missing]);
  return bindService(service, { ...Object.fromEntries(others), ...some });
}

/**
 * Reads a stream that has a message and then none until its deadline. On a busy machine the deadline may come
 * before the message: then the next stream has a later one.
 */
async function readUntilDeadline({ stream }: Client<typeof ChatService>) {
  for (let timeoutMs = 300; ; timeoutMs *= 3) {
    const read = await readAll(stream({}, { timeoutMs }));
    if (read.messages.length > 0 || timeoutMs > 10_000) return read;
  }
}

function whenAborted(signal: AbortSignal): Promise<unknown> {
  return signal.aborted ? Promise.resolve() : once(signal, "abort");
}

describe.each([
  ["in the process", inProcess],
  ["over gRPC", overGrpc],
])("a call %s", (_, connect) => {
  async function chatClient(some: Chat) {
    return createClient(ChatService, await connect([bindSome(ChatService, some)]));
  }

  async function ledgerClient(some: Ledger) {
    return createClient(LedgerService, await connect([bindSome(LedgerService, some)]));
  }

  test("carries the request and its response, 64-bit amounts exactly", async () => {
    const largest = 2n ** 64n - 1n;
    const client = await ledgerClient({
      async hold({ holdId, estimateNanoUsd }) {
        return { heldNanoUsd: estimateNanoUsd - 1n, expiresInMs: holdId.length };
      },
    });
    const response = await client.hold({ holdId: "four", estimateNanoUsd: largest });
    expect(response).toMatchObject({
      heldNanoUsd: largest - 1n,
      expiresInMs: 4,
      walletHeldNanoUsd: 0n,
    });
  });

  test("distinguishes an absent message from an empty one", async () => {
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

  test("reaches the service that it names among several", async () => {
    const transport = await connect([
      bindSome(LedgerService, { getSpend: async () => ({ spendNanoUsd: 5n }) }),
      bindSome(ChatService, { complete: async () => ({ totalTokens: 7n }) }),
    ]);
    const spend = await createClient(LedgerService, transport).getSpend({});
    const completion = await createClient(ChatService, transport).complete({});
    expect([spend.spendNanoUsd, completion.totalTokens]).toEqual([5n, 7n]);
  });

  test("carries whether an error is permanent", async () => {
    for (const isPermanent of [true, false]) {
      const client = await chatClient({
        async complete() {
          throw new GatewayError("upstream_rejected", "No.", { isPermanent });
        },
      });
      expect(await rejectionOf(client.complete({}))).toMatchObject({ isPermanent });
    }
  });

  test("carries an error with its code, status, param and time to retry", async () => {
    const client = await chatClient({
      async complete() {
        const details = { param: "messages[2].role", retryAfterSeconds: 7 };
        throw new GatewayError("rate_limited", "Slow down: später.", details);
      },
    });
    const error = await rejectionOf(client.complete({}));
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

  test("carries an error with a lone surrogate, also for a large request", async () => {
    const client = await chatClient({
      async complete() {
        const param = "tools\ud83d";
        throw new GatewayError("upstream_rejected", "The provider said: \ud83d", { param });
      },
    });
    const error = await rejectionOf(
      client.complete({ call: { body: Buffer.alloc(300_000, " ") } }),
    );
    expect(error).toMatchObject({
      code: "upstream_rejected",
      message: "The provider said: \ufffd",
      param: "tools\ufffd",
    });
  });

  test("carries an error without a param and a time to retry as one without", async () => {
    const client = await chatClient({
      async complete() {
        throw new GatewayError("credit_balance_exhausted", "Top up.");
      },
    });
    const error = await rejectionOf(client.complete({}));
    expect(error).toMatchObject({ code: "credit_balance_exhausted", status: 402 });
    expect(error).toMatchObject({ param: undefined, retryAfterSeconds: undefined });
  });

  test("carries the PeerError of a service that the handler calls", async () => {
    const client = await chatClient({
      async complete() {
        throw new PeerError("unavailable", "the ledger is unavailable");
      },
    });
    const error = await rejectionOf(client.complete({}));
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "unavailable" });
  });

  test("reveals nothing of an unexpected error of its handler", async () => {
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
      await rejectionOf(client.complete({})),
      (await readAll(client.stream({}))).error,
    ];
    for (const error of failures) {
      expect(error).toBeInstanceOf(GatewayError);
      expect(error).toMatchObject({ code: "internal_error", status: 500 });
      expect((error as GatewayError).message).not.toContain("hunter2");
    }
  });

  test("rejects at its deadline and aborts the handler's signal", async () => {
    let signal: AbortSignal | undefined;
    const client = await chatClient({
      complete(_request, context) {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    const error = await rejectionOf(client.complete({}, { timeoutMs: 300 }));
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "deadline" });
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  test("rejects when its caller cancels, and aborts the handler's signal", async () => {
    const entered = Promise.withResolvers<AbortSignal>();
    const client = await chatClient({
      complete(_request, { signal }) {
        entered.resolve(signal);
        return new Promise(() => {});
      },
    });
    const caller = new AbortController();
    const failure = rejectionOf(client.complete({}, { signal: caller.signal }));
    const signal = await entered.promise;
    expect(signal.aborted).toBe(false);
    caller.abort();
    const error = await failure;
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "cancelled" });
    await expect.poll(() => signal.aborted).toBe(true);
  });

  /** Starts a call whose handler is in a part that runs to its end. */
  async function callInPart(timeoutMs: number, bytes = 0) {
    const entered = Promise.withResolvers<CallContext>();
    const callerLeft = vi.fn();
    const client = await chatClient({
      complete(_request, context) {
        context.beginPart({ callerLeft });
        entered.resolve(context);
        return whenAborted(context.signal).then(() => ({}));
      },
    });
    // The first call connects, so that the deadline below does not include that.
    await rejectionOf(client.countTokens({}));
    const caller = new AbortController();
    const request = { call: { body: Buffer.alloc(bytes, " ") } };
    const failure = rejectionOf(client.complete(request, { signal: caller.signal, timeoutMs }));
    return { caller, failure, callerLeft, context: await entered.promise };
  }

  /** The larger one is a gRPC call of its own. */
  const sizes = [0, 300_000];

  test.each(
    sizes,
  )("of %d bytes goes on when its caller leaves, in a part that must", async (bytes) => {
    const { caller, failure, callerLeft, context } = await callInPart(60_000, bytes);
    caller.abort();
    expect(await failure).toMatchObject({ reason: "cancelled" });
    await expect.poll(() => callerLeft.mock.calls).toHaveLength(1);
    expect([context.hasLeft, context.signal.aborted]).toEqual([true, false]);
    context.endPart();
    expect(context.signal.reason).toMatchObject({ reason: "cancelled" });
  });

  test.each(
    sizes,
  )("of %d bytes ends at its deadline, also after its caller left", async (bytes) => {
    const { caller, failure, context } = await callInPart(1_000, bytes);
    caller.abort();
    await failure;
    await expect.poll(() => context.signal.reason).toMatchObject({ reason: "deadline" });
  });

  test.each(sizes)("of %d bytes ends with the gateway, in each of its parts", async (bytes) => {
    const { caller, failure, context } = await callInPart(60_000, bytes);
    caller.abort(serviceUnavailable());
    expect(await failure).toMatchObject({ reason: "unavailable" });
    await expect.poll(() => context.signal.reason).toMatchObject({ reason: "unavailable" });
  });

  test("of a caller that has already cancelled never reaches its handler", async () => {
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
    const cancelled = { signal: AbortSignal.abort() };
    const { messages, error } = await readAll(client.stream({}, cancelled));
    for (const failure of [await rejectionOf(client.complete({}, cancelled)), error]) {
      expect(failure).toBeInstanceOf(PeerError);
      expect(failure).toMatchObject({ reason: "cancelled" });
    }
    expect([messages, reached]).toEqual([[], false]);
  });

  test("does not abort the handler's signal after its response", async () => {
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
    // By the second response, anything that follows the first has arrived.
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

  test("that streams throws an error after all messages before it", async () => {
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

  test("that streams rejects when its caller cancels, and ends its generator", async () => {
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
    const error = await rejectionOf(stream.next());
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "cancelled" });
    await expect.poll(() => ended).toBe(true);
  });

  test("that streams rejects at its deadline, also between two messages", async () => {
    let ended = false;
    const client = await chatClient({
      async *stream(_request, { signal }) {
        ended = false;
        try {
          yield { totalTokens: 1n };
          await whenAborted(signal);
          throw signal.reason;
        } finally {
          ended = true;
        }
      },
    });
    const { messages, error } = await readUntilDeadline(client);
    expect(messages).toHaveLength(1);
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "deadline" });
    await expect.poll(() => ended).toBe(true);
  });

  test.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
    ["returns as if it were complete", (signal) => whenAborted(signal)],
    [
      "throws the AbortError of what it waits for",
      (signal) => once(new EventTarget(), "x", { signal }),
    ],
    ["ignores its signal", () => new Promise(() => {})],
  ])("that streams rejects at its deadline also when its handler %s", async (_, wait) => {
    const client = await chatClient({
      async *stream(_request, { signal }) {
        yield { totalTokens: 1n };
        await wait(signal);
      },
    });
    const { messages, error } = await readUntilDeadline(client);
    expect(messages).toHaveLength(1);
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "deadline" });
  });
});
