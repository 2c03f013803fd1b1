import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Slot } from "@tollgate/catalog/model";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { SlotFailure } from "./failure.ts";
import { createProviderClient, readJson } from "./provider-client.ts";

const accept = "application/json";
const never = new AbortController().signal;
const patience = { timeout: 10_000 };

/** A provider that answers as it is told, and a client's way to it. */
async function world(answer: (req: IncomingMessage, res: ServerResponse) => void) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const providers = createProviderClient({ KEY: "secret" });
  onTestFinished(async () => {
    await providers.close();
    server.close();
    server.closeAllConnections();
  });
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const provider = { name: "near", baseUrl, apiKeyEnv: "KEY", timeoutMs: 60_000 };
  const slot = { id: "near/model", provider, path: "/chat" } as Slot;
  return { providers, slot };
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const piece of body) text += piece.toString();
  return text;
}

/** What a call comes to that is to fail. */
function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  );
}

test.each([
  ["whole", Buffer.from('{"a":1}')],
  ["in pieces", [Buffer.from('{"a":'), Buffer.from("1}")]],
  ["in large pieces", [Buffer.alloc(3_000_000, "a"), Buffer.alloc(3_000_000, "b")]],
])("a body is sent %s, with the key and the request's name", async (_, body) => {
  const { providers, slot } = await world(async (req, res) => {
    const { authorization, "x-client-request-id": name, "content-type": type } = req.headers;
    const { length } = await textOf(req);
    res.end(JSON.stringify({ url: req.url, authorization, name, type, length }));
  });
  const answer = await providers.post(slot, body, { accept, requestId: "req_1", signal: never });
  const { value } = await readJson(answer, never);
  const length = Array.isArray(body) ? Buffer.concat(body).length : body.length;
  const type = "application/json";
  const authorization = "Bearer secret";
  expect(value).toEqual({ url: "/v1/chat", authorization, name: "req_1", type, length });
});

describe("a body in large pieces", () => {
  const body = Array.from({ length: 40 }, () => Buffer.alloc(1_000_000, " "));
  const order = { accept, requestId: "req_1", signal: never } as const;

  test("that is not sent whole fails the call, and the next one is sent", async () => {
    let calls = 0;
    const { providers, slot } = await world(async (req, res) => {
      calls += 1;
      if (calls === 1) req.once("data", () => res.destroy());
      else res.end(JSON.stringify({ length: (await textOf(req)).length }));
    });
    expect(await failureOf(providers.post(slot, body, order))).toMatchObject({
      name: "SlotFailure",
      kind: "unreachable",
    });
    const { value } = await readJson(await providers.post(slot, body, order), never);
    expect(value).toEqual({ length: 40_000_000 });
  });

  test("that is refused before it was read is refused by the provider's status", async () => {
    const { providers, slot } = await world((_req, res) => {
      res.writeHead(413).end(JSON.stringify({ error: { message: "too large" } }));
    });
    expect(await failureOf(providers.post(slot, body, order))).toMatchObject({ status: 413 });
  });

  test("is no longer sent once the call is aborted", async () => {
    const left = vi.fn();
    const controller = new AbortController();
    const reason = new Error("the client left");
    const { providers, slot } = await world((req) => {
      req.once("close", left).on("data", () => controller.abort(reason));
    });
    const { signal } = controller;
    expect(await failureOf(providers.post(slot, body, { ...order, signal }))).toBe(reason);
    await vi.waitFor(() => expect(left).toHaveBeenCalledOnce(), patience);
  });
});

test("a stream that cannot be sent is destroyed", async () => {
  const { providers, slot } = await world((_req, res) => res.destroy());
  const body = new Readable({ read() {} });
  const order = { method: "POST", path: "/upload", headers: {}, body } as const;
  const sent = providers.send(slot, order, never);
  body.push("a");
  expect(await failureOf(sent)).toMatchObject({ name: "SlotFailure", kind: "unreachable" });
  expect(body.destroyed).toBe(true);
});

test("what was read before an answer is cut is there, and then the failure", async () => {
  const { providers, slot } = await world((_req, res) => {
    res.write("first", () => res.destroy());
  });
  const order = { method: "GET", path: "/x", headers: {} } as const;
  const { body } = await providers.send(slot, order, never);
  let read = "";
  const reading = (async () => {
    for await (const piece of body) read += piece.toString();
  })();
  expect(await failureOf(reading)).toMatchObject({
    message: expect.stringMatching(/closed|reset/),
  });
  expect(read).toBe("first");
});

test("an aborted call raises the signal's reason, and ends its connection", async () => {
  const left = vi.fn();
  const controller = new AbortController();
  const reason = new Error("the client left");
  const { providers, slot } = await world((_req, res) => {
    res.once("close", left);
    controller.abort(reason);
  });
  const call = { accept, requestId: "req_1", signal: controller.signal } as const;
  expect(await failureOf(providers.post(slot, Buffer.from("{}"), call))).toBe(reason);
  await vi.waitFor(() => expect(left).toHaveBeenCalledOnce(), patience);
});

test("a call that is aborted beforehand asks nothing", async () => {
  const asked = vi.fn();
  const { providers, slot } = await world(asked);
  const signal = AbortSignal.abort(new Error("too late"));
  const call = { accept, requestId: "req_1", signal } as const;
  expect(await failureOf(providers.post(slot, Buffer.from("{}"), call))).toBe(signal.reason);
  expect(asked).not.toHaveBeenCalled();
});

test("an answer that is left early ends its connection, one that is read keeps it", async () => {
  const left = vi.fn();
  const sockets = new Set<unknown>();
  const { providers, slot } = await world((req, res) => {
    sockets.add(req.socket);
    res.once("close", () => left(res.writableFinished));
    if (req.url === "/v1/endless") res.write("first");
    else res.end("all of it");
  });
  const order = { method: "GET", headers: {} } as const;
  for (const _ of [1, 2]) {
    const whole = await providers.send(slot, { ...order, path: "/whole" }, never);
    expect(await textOf(whole.body)).toBe("all of it");
    // A connection is free again a turn of the event loop after its answer.
    await nextTurn();
  }
  expect(sockets.size).toBe(1);
  const endless = await providers.send(slot, { ...order, path: "/endless" }, never);
  for await (const _ of endless.body) break;
  await vi.waitFor(() => expect(left.mock.calls).toEqual([[true], [true], [false]]), patience);
});

test("an answer that may end by itself keeps its connection", async () => {
  const sockets = new Set<unknown>();
  let isKept = false;
  let end = () => {};
  const { providers, slot } = await world((req, res) => {
    isKept ||= sockets.has(req.socket);
    sockets.add(req.socket);
    res.write("first");
    end = () => res.end("more");
  });
  const order = { method: "GET", path: "/events", headers: {} } as const;
  await vi.waitFor(async () => {
    const { body } = await providers.send(slot, order, never);
    for await (const piece of body) {
      expect(piece.toString()).toBe("first");
      body.letEnd();
    }
    end();
    expect(isKept).toBe(true);
  }, patience);
});

test("a provider waits while its answer is not read", async () => {
  const piece = Buffer.alloc(64 * 1024);
  const pieces = 1_000;
  let written = 0;
  const { providers, slot } = await world(async (_req, res) => {
    for (; written < pieces; written += 1) if (!res.write(piece)) await once(res, "drain");
    res.end();
  });
  const order = { method: "GET", path: "/large", headers: {} } as const;
  const { body } = await providers.send(slot, order, never);
  let before = -1;
  await vi.waitFor(() => {
    const now = written;
    const stands = now === before;
    before = now;
    expect(stands).toBe(true);
  }, patience);
  expect(written).toBeLessThan(pieces);
  let bytes = 0;
  for await (const part of body) bytes += part.length;
  expect(bytes).toBe(pieces * piece.length);
});

test("a refusal is told with the provider's words, and without our key", async () => {
  const { providers, slot } = await world((_req, res) => {
    res.writeHead(400, { "content-type": "application/json" });
    res.end(JSON.stringify({ error: { message: "secret is no good" } }));
  });
  const call = { accept, requestId: "req_1", signal: never } as const;
  const failure = await failureOf(providers.post(slot, Buffer.from("{}"), call));
  expect(failure).toBeInstanceOf(SlotFailure);
  expect(failure).toMatchObject({ kind: "rejected", status: 400, hint: "[key] is no good" });
});
