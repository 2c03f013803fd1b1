import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { PeerError } from "@tollgate/core/errors";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { SlotFailure } from "./failure.ts";
import { createProviderClient, type ProviderClient } from "./provider-client.ts";
import {
  isBrokenConnection,
  isTotalTimeout,
  readJson,
  transportFailure,
} from "./provider-response.ts";
import { UnsentCall } from "./unsent.ts";

const accept = "application/json";
const never = new AbortController().signal;
const waitOptions = { timeout: 10_000 };

/** A kind that takes its key as a bearer token, and has messages in its refusals. */
const kind = {
  authorize: (_, { apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
  reportedStatus: () => undefined,
  refusalMessage: (body) => (body as { message: string } | undefined)?.message,
  readRefusal: ({ body }) => ({ isTooLong: JSON.stringify(body)?.includes("too long") ?? false }),
} as Partial<ProviderKind> as ProviderKind;

/** Starts a provider that responds by `respond`, and a client with a slot of that provider. */
async function world(respond: (req: IncomingMessage, res: ServerResponse) => void) {
  const server = createServer(respond).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const providers = createProviderClient({ KEY: "secret" });
  onTestFinished(async () => {
    await providers.close();
    server.close();
    server.closeAllConnections();
  });
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const provider = { name: "near", kind, baseUrl, apiKeyEnv: "KEY", timeoutMs: 60_000 };
  const slot = { id: "near/model", provider, path: "/chat" } as Slot;
  return { providers, slot };
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const chunk of body) text += chunk.toString();
  return text;
}

/** Returns the error that `work` throws. Fails the test when it does not throw. */
function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  );
}

test.each([
  ["in one buffer", Buffer.from('{"a":1}')],
  ["in several buffers", [Buffer.from('{"a":'), Buffer.from("1}")]],
  ["in large buffers", [Buffer.alloc(3_000_000, "a"), Buffer.alloc(3_000_000, "b")]],
])("a body %s is sent with the API key and the request id", async (_, body) => {
  const { providers, slot } = await world(async (req, res) => {
    const { authorization, "x-client-request-id": requestId, "content-type": type } = req.headers;
    const { length } = await textOf(req);
    res.end(JSON.stringify({ url: req.url, authorization, requestId, type, length }));
  });
  const response = await providers.post(slot, body, { accept, requestId: "req_1", signal: never });
  const { value } = await readJson(response, never);
  const length = Array.isArray(body) ? Buffer.concat(body).length : body.length;
  const type = "application/json";
  const authorization = "Bearer secret";
  expect(value).toEqual({ url: "/v1/chat", authorization, requestId: "req_1", type, length });
});

describe("a body in large buffers", () => {
  const body = Array.from({ length: 40 }, () => Buffer.alloc(1_000_000, " "));
  const request = { accept, requestId: "req_1", signal: never } as const;

  test("that the provider does not read to its end fails the call, and the next call succeeds", async () => {
    let calls = 0;
    const { providers, slot } = await world(async (req, res) => {
      calls += 1;
      if (calls === 1) req.once("data", () => res.destroy());
      else res.end(JSON.stringify({ length: (await textOf(req)).length }));
    });
    expect(await failureOf(providers.post(slot, body, request))).toMatchObject({
      name: "SlotFailure",
      kind: "unreachable",
    });
    const { value } = await readJson(await providers.post(slot, body, request), never);
    expect(value).toEqual({ length: 40_000_000 });
  });

  test("that is refused before it was read fails with the provider's status", async () => {
    const { providers, slot } = await world((_req, res) => {
      res.writeHead(413).end(JSON.stringify({ error: { message: "too large" } }));
    });
    expect(await failureOf(providers.post(slot, body, request))).toMatchObject({ status: 413 });
  });

  test("that is refused before it was read fails with the status however often it is sent", async () => {
    const [small, large] = [Buffer.from('{"messages":['), Buffer.alloc(200_000, " ")];
    const { providers, slot } = await world((_req, res) => {
      res.writeHead(401).end(JSON.stringify({ error: { message: "wrong key" } }));
    });
    for (let call = 0; call < 20; call += 1) {
      const failure = await failureOf(providers.post(slot, [small, large, small], request));
      expect(failure).toMatchObject({ status: 401 });
    }
  });

  test("is no longer sent after the call is aborted", async () => {
    const closed = vi.fn();
    const controller = new AbortController();
    const reason = new Error("the client disconnected");
    const { providers, slot } = await world((req) => {
      req.once("close", closed).on("data", () => controller.abort(reason));
    });
    const { signal } = controller;
    expect(await failureOf(providers.post(slot, body, { ...request, signal }))).toBe(reason);
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce(), waitOptions);
  });
});

test("a request's own timeout applies where the catalog sets none for the provider", async () => {
  const { providers, slot } = await world((_req, res) => void setTimeout(() => res.end(), 3_000));
  const sendTo = (isDefaultTimeout: boolean, defaultTimeoutMs?: number) => {
    const provider = { ...slot.provider, timeoutMs: 100, isDefaultTimeout };
    const limit = defaultTimeoutMs === undefined ? {} : { defaultTimeoutMs };
    const request = { method: "GET", path: "/slow", headers: {}, ...limit } as const;
    return providers.send({ ...slot, provider }, request, never);
  };
  const [ofRoute, byDefault, ofProvider] = await Promise.all([
    sendTo(true, 10_000),
    failureOf(sendTo(true)),
    failureOf(sendTo(false, 10_000)),
  ]);
  expect(ofRoute).toMatchObject({ status: 200 });
  expect(byDefault).toMatchObject({ kind: "unreachable" });
  expect(ofProvider).toMatchObject({ kind: "unreachable" });
});

describe("the time limits of a provider", () => {
  const stream = { method: "GET", headers: { accept: "text/event-stream" } } as const;
  const took = (code: string) => ({
    kind: "unreachable",
    meaning: "trouble",
    message: `the provider took too long (${code})`,
  });

  /** Starts a provider that sends the head and a byte of each response, at the times of its path. */
  async function slowWorld(limits: Partial<Slot["provider"]>) {
    const { providers, slot } = await world((req, res) => {
      const [head = 0, byte = 0] = (req.url ?? "").split("/").slice(-2).map(Number);
      setTimeout(() => res.flushHeaders(), head);
      setTimeout(() => res.write("first"), head + byte);
    });
    const limited = { ...slot, provider: { ...slot.provider, ...limits } };
    return {
      send: (request: { path: string }) =>
        providers.send(limited, { ...stream, ...request }, never),
    };
  }

  test.each([
    ["its head is late, too", "/60000/0"],
    ["its head has come", "/0/60000"],
  ])("end a stream whose first byte is late: %s", async (_, path) => {
    const { send } = await slowWorld({ firstByteMs: 1_000 });
    const read = send({ path }).then(({ body }) => readAll(body));
    expect(await failureOf(read)).toMatchObject(took("FIRST_BYTE_TIMEOUT"));
  });

  test("do not limit a stream by its first byte once that has come", async () => {
    const { send } = await slowWorld({ firstByteMs: 3_000, totalMs: 3_500 });
    const read = send({ path: "/0/0" }).then(({ body }) => readAll(body));
    expect(await failureOf(read)).toMatchObject(took("TOTAL_TIMEOUT"));
  });

  test("do not limit the first byte of a whole response", async () => {
    const { send } = await slowWorld({ firstByteMs: 50 });
    const whole = { headers: { accept: "application/json" }, path: "/500/0" };
    expect(await send(whole)).toMatchObject({ status: 200 });
  });

  test("end a response that takes too long in all, although bytes arrive", async () => {
    const { providers, slot } = await world((_req, res) => {
      const timer = setInterval(() => res.write("."), 20);
      res.once("close", () => clearInterval(timer));
    });
    const limited = { ...slot, provider: { ...slot.provider, totalMs: 1_000 } };
    const sent = providers.send(limited, { ...stream, path: "/" }, never);
    const failure = await failureOf(sent.then(({ body }) => readAll(body)));
    expect(failure).toMatchObject(took("TOTAL_TIMEOUT"));
    expect(isTotalTimeout(failure)).toBe(true);
    expect(isTotalTimeout(transportFailure(new Error("closed"), never))).toBe(false);
  });

  test("end a connection that does not open, sooner than by default", async () => {
    // It accepts connections, and never takes part in the handshake of TLS.
    const silent = createTcpServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const { providers, slot } = await world(() => {});
    const baseUrl = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const controller = new AbortController();
    const send = (connectMs: number) => {
      const provider = { ...slot.provider, baseUrl, connectMs };
      const sent = providers.send(
        { ...slot, provider },
        { ...stream, path: "/" },
        controller.signal,
      );
      return failureOf(sent).then((failure) => ({ connectMs, failure }));
    };
    const slow = send(60_000);
    expect(await Promise.race([send(100), slow])).toMatchObject({
      connectMs: 100,
      failure: { kind: "unreachable", meaning: "unreachable" },
    });
    controller.abort(new Error("the test is over"));
    await slow;
  });

  async function readAll(body: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const _ of body);
    } catch (error) {
      throw transportFailure(error, never);
    }
  }
});

test("a stream that cannot be sent is destroyed", async () => {
  const { providers, slot } = await world((_req, res) => res.destroy());
  const body = new Readable({ read() {} });
  const request = { method: "POST", path: "/upload", headers: {}, body } as const;
  const sent = providers.send(slot, request, never);
  body.push("a");
  expect(await failureOf(sent)).toMatchObject({ name: "SlotFailure", kind: "unreachable" });
  expect(body.destroyed).toBe(true);
});

test("the chunks before the connection breaks are read, then the failure is thrown", async () => {
  const { providers, slot } = await world((_req, res) => {
    res.write("first", () => res.destroy());
  });
  const request = { method: "GET", path: "/x", headers: {} } as const;
  const { body } = await providers.send(slot, request, never);
  let read = "";
  const reading = (async () => {
    for await (const chunk of body) read += chunk.toString();
  })();
  expect(await failureOf(reading)).toMatchObject({
    message: expect.stringMatching(/closed|reset/),
  });
  expect(read).toBe("first");
});

test("an aborted call throws the signal's reason, and closes its connection", async () => {
  const closed = vi.fn();
  const controller = new AbortController();
  const reason = new Error("the client disconnected");
  const { providers, slot } = await world((_req, res) => {
    res.once("close", closed);
    controller.abort(reason);
  });
  const call = { accept, requestId: "req_1", signal: controller.signal } as const;
  expect(await failureOf(providers.post(slot, Buffer.from("{}"), call))).toBe(reason);
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce(), waitOptions);
});

test("a connection that broke is told from an error of the provider, and from its silence", async () => {
  const { providers, slot } = await world((req, res) => {
    if (req.url?.endsWith("/breaks")) res.destroy();
    else if (req.url?.endsWith("/fails")) res.writeHead(500).end();
  });
  const isBroken = async (path: string, timeoutMs: number) => {
    const provider = { ...slot.provider, timeoutMs };
    const call = { accept, requestId: "req_1", signal: never } as const;
    const sent = providers.post({ ...slot, provider, path }, Buffer.from("{}"), call);
    return isBrokenConnection(await failureOf(sent));
  };
  expect(await isBroken("/breaks", 60_000)).toBe(true);
  expect(await isBroken("/fails", 60_000)).toBe(false);
  expect(await isBroken("/hangs", 50)).toBe(false);
});

test("a call whose signal is already aborted sends no request", async () => {
  const handle = vi.fn();
  const { providers, slot } = await world(handle);
  const signal = AbortSignal.abort(new Error("too late"));
  const call = { accept, requestId: "req_1", signal } as const;
  expect(await failureOf(providers.post(slot, Buffer.from("{}"), call))).toBe(signal.reason);
  expect(handle).not.toHaveBeenCalled();
});

test("a call that is aborted before it has a connection throws that nothing was sent", async () => {
  const handle = vi.fn();
  const { providers, slot } = await world(handle);
  const controller = new AbortController();
  const call = { accept, requestId: "req_1", signal: controller.signal } as const;
  const posted = failureOf(providers.post(slot, Buffer.from("{}"), call));
  controller.abort(new PeerError("deadline", "too slow"));
  const failure = await posted;
  expect(failure).toBeInstanceOf(UnsentCall);
  expect(failure).toMatchObject({ reason: "deadline", message: "too slow" });
  expect(handle).not.toHaveBeenCalled();
});

test("an abandoned response closes its connection, and one that is read leaves it open", async () => {
  const closed = vi.fn();
  const sockets = new Set<unknown>();
  const { providers, slot } = await world((req, res) => {
    sockets.add(req.socket);
    res.once("close", () => closed(res.writableFinished));
    if (req.url === "/v1/endless") res.write("first");
    else res.end("the full body");
  });
  const request = { method: "GET", headers: {} } as const;
  for (const _ of [1, 2]) {
    const full = await providers.send(slot, { ...request, path: "/full" }, never);
    expect(await textOf(full.body)).toBe("the full body");
    // A connection is free one turn of the event loop after its response has ended.
    await nextTurn();
  }
  expect(sockets.size).toBe(1);
  const endless = await providers.send(slot, { ...request, path: "/endless" }, never);
  for await (const _ of endless.body) break;
  await vi.waitFor(() => expect(closed.mock.calls).toEqual([[true], [true], [false]]), waitOptions);
});

test("a response that ends by itself after `letEnd` leaves its connection open", async () => {
  const sockets = new Set<unknown>();
  let isKept = false;
  let end = () => {};
  const { providers, slot } = await world((req, res) => {
    isKept ||= sockets.has(req.socket);
    sockets.add(req.socket);
    res.write("first");
    end = () => res.end("more");
  });
  const request = { method: "GET", path: "/events", headers: {} } as const;
  await vi.waitFor(async () => {
    const { body } = await providers.send(slot, request, never);
    for await (const chunk of body) {
      expect(chunk.toString()).toBe("first");
      body.letEnd();
    }
    end();
    expect(isKept).toBe(true);
  }, waitOptions);
});

test("a provider waits while its response is not read", async () => {
  const chunk = Buffer.alloc(64 * 1024);
  const chunks = 1_000;
  let written = 0;
  const { providers, slot } = await world(async (_req, res) => {
    for (; written < chunks; written += 1) if (!res.write(chunk)) await once(res, "drain");
    res.end();
  });
  const request = { method: "GET", path: "/large", headers: {} } as const;
  const { body } = await providers.send(slot, request, never);
  let before = -1;
  await vi.waitFor(() => {
    const now = written;
    const isWaiting = now === before;
    before = now;
    expect(isWaiting).toBe(true);
  }, waitOptions);
  expect(written).toBeLessThan(chunks);
  let bytes = 0;
  for await (const read of body) bytes += read.length;
  expect(bytes).toBe(chunks * chunk.length);
});

test("a refusal has the provider's message without the API key", async () => {
  const { providers, slot } = await world((_req, res) => {
    res.writeHead(400, { "content-type": "application/json" });
    res.end(JSON.stringify({ message: "secret is no good" }));
  });
  const call = { accept, requestId: "req_1", signal: never } as const;
  const failure = await failureOf(providers.post(slot, Buffer.from("{}"), call));
  expect(failure).toBeInstanceOf(SlotFailure);
  expect(failure).toMatchObject({ kind: "rejected", status: 400, hint: "[key] is no good" });
});

describe("a stored key", () => {
  const call = { accept, requestId: "req_1", signal: never } as const;

  test("is sent as it is when the request is sent", async () => {
    const { stored, slot } = await storedWorld((req, res) => {
      res.end(JSON.stringify(req.headers.authorization));
    });
    const sent = async () => {
      const response = await stored.client.post(slot, Buffer.from("{}"), call);
      return (await readJson(response, never)).value;
    };
    stored.values = ["first"];
    expect(await sent()).toBe("Bearer first");
    expect(stored.client.streamHeaders(slotWithStream(slot), "req_1")).toMatchObject({
      authorization: "Bearer first",
    });
    stored.values = ["second", "first"];
    expect(await sent()).toBe("Bearer second");
  });

  test("without a value fails the call before it is sent, as a refused key does", async () => {
    let calls = 0;
    const { stored, slot } = await storedWorld((_req, res) => {
      calls += 1;
      res.end();
    });
    const failure = await failureOf(stored.client.post(slot, Buffer.from("{}"), call));
    expect(failure).toMatchObject({ meaning: "key_or_bill", said: "main has no value" });
    expect(calls).toBe(0);
  });

  test("is hidden in what the provider says, and so is the one before it", async () => {
    const { stored, slot } = await storedWorld((_req, res) => {
      res.writeHead(400, { "content-type": "application/json" });
      res.end(JSON.stringify({ message: "neither first nor second" }));
    });
    stored.values = ["second", "first"];
    const failure = await failureOf(stored.client.post(slot, Buffer.from("{}"), call));
    expect(failure).toMatchObject({ hint: "neither [key] nor [key]" });
    expect(stored.client.redact(slot, "first, second")).toBe("[key], [key]");
  });

  /** Does the same as `world`, for a provider whose key is a stored one: the first of `values`. */
  async function storedWorld(respond: Parameters<typeof world>[0]) {
    const { slot } = await world(respond);
    const stored = { values: [] as string[], client: undefined as unknown as ProviderClient };
    stored.client = createProviderClient(
      {},
      {
        current: () => stored.values[0],
        problemOf: (name) => `${name} has no value`,
        recent: () => stored.values,
      },
    );
    onTestFinished(() => stored.client.close());
    const provider = { ...slot.provider, apiKeyEnv: undefined, secret: "main" };
    return { stored, slot: { ...slot, provider } };
  }

  const slotWithStream = (slot: Slot): Slot => ({ ...slot, stream: { path: "/live" } });
});

test("a refusal that is sent on as it came has no API key, and its other bytes are unchanged", async () => {
  const bytes = (key: string) => Buffer.concat([Buffer.from([0xff, 0x80]), Buffer.from(`${key}é`)]);
  const { providers, slot } = await world((_req, res) => {
    res.writeHead(502, { "content-type": "text/html" });
    res.end(bytes("Bearer secret"));
  });
  const call = { accept, requestId: "req_1", signal: never } as const;
  const failure = await failureOf(providers.post(slot, Buffer.from("{}"), call));
  expect(failure).toMatchObject({ refusal: { body: bytes("Bearer [key]") } });
});

test("a refusal of a prompt that is too long says so, by the kind of the provider", async () => {
  const { providers, slot } = await world((_req, res) => {
    res.writeHead(400, { "content-type": "application/json" });
    res.end(JSON.stringify({ message: "it is too long" }));
  });
  const call = { accept, requestId: "req_1", signal: never } as const;
  const failure = await failureOf(providers.post(slot, Buffer.from("{}"), call));
  expect(failure).toMatchObject({ status: 400, hint: "it is too long", isTooLong: true });
});
