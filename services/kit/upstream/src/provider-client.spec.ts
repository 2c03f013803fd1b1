import { once } from "node:events";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { PeerError } from "@tollgate/core/errors";
import { describe, expect, test, vi } from "vitest";
import {
  accept,
  failureOf,
  neverAborts,
  startHttpProvider,
  waitOptions,
} from "../test/http-provider.ts";
import { isBrokenConnection, readJson } from "./provider-response.ts";
import { UnsentCall } from "./unsent.ts";

async function collectText(body: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const chunk of body) text += chunk.toString();
  return text;
}

test.each([
  ["in one buffer", Buffer.from('{"a":1}')],
  ["in several buffers", [Buffer.from('{"a":'), Buffer.from("1}")]],
  ["in large buffers", [Buffer.alloc(3_000_000, "a"), Buffer.alloc(3_000_000, "b")]],
])("a body %s is sent with the API key and the request id", async (_, body) => {
  const { providers, slot } = await startHttpProvider(async (req, res) => {
    const { authorization, "x-client-request-id": requestId, "content-type": type } = req.headers;
    const { length } = await collectText(req);
    res.end(JSON.stringify({ url: req.url, authorization, requestId, type, length }));
  });
  const response = await providers.post(slot, body, {
    accept,
    requestId: "req_1",
    signal: neverAborts,
  });
  const { value } = await readJson(response, neverAborts);
  const length = Array.isArray(body) ? Buffer.concat(body).length : body.length;
  const type = "application/json";
  const authorization = "Bearer secret";
  expect(value).toEqual({ url: "/v1/chat", authorization, requestId: "req_1", type, length });
});

describe("a body in large buffers", () => {
  const body = Array.from({ length: 40 }, () => Buffer.alloc(1_000_000, " "));
  const request = { accept, requestId: "req_1", signal: neverAborts } as const;

  test("that the provider does not read to its end fails the call, and the next call succeeds", async () => {
    let calls = 0;
    const { providers, slot } = await startHttpProvider(async (req, res) => {
      calls += 1;
      if (calls === 1) req.once("data", () => res.destroy());
      else res.end(JSON.stringify({ length: (await collectText(req)).length }));
    });
    expect(await failureOf(providers.post(slot, body, request))).toMatchObject({
      name: "SlotFailure",
      kind: "unreachable",
    });
    const { value } = await readJson(await providers.post(slot, body, request), neverAborts);
    expect(value).toEqual({ length: 40_000_000 });
  });

  test("that is refused before it was read fails with the provider's status", async () => {
    const { providers, slot } = await startHttpProvider((_req, res) => {
      res.writeHead(413).end(JSON.stringify({ error: { message: "too large" } }));
    });
    expect(await failureOf(providers.post(slot, body, request))).toMatchObject({ status: 413 });
  });

  test("that is refused before it was read fails with the status however often it is sent", async () => {
    const [small, large] = [Buffer.from('{"messages":['), Buffer.alloc(200_000, " ")];
    const { providers, slot } = await startHttpProvider((_req, res) => {
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
    const { providers, slot } = await startHttpProvider((req) => {
      req.once("close", closed).on("data", () => controller.abort(reason));
    });
    const { signal } = controller;
    expect(await failureOf(providers.post(slot, body, { ...request, signal }))).toBe(reason);
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce(), waitOptions);
  });
});

test("a stream that cannot be sent is destroyed", async () => {
  const { providers, slot } = await startHttpProvider((_req, res) => res.destroy());
  const body = new Readable({ read() {} });
  const request = { method: "POST", path: "/upload", headers: {}, body } as const;
  const sent = providers.send(slot, request, neverAborts);
  body.push("a");
  expect(await failureOf(sent)).toMatchObject({ name: "SlotFailure", kind: "unreachable" });
  expect(body.destroyed).toBe(true);
});

test("the chunks before the connection breaks are read, then the failure is thrown", async () => {
  const { providers, slot } = await startHttpProvider((_req, res) => {
    res.write("first", () => res.destroy());
  });
  const request = { method: "GET", path: "/x", headers: {} } as const;
  const { body } = await providers.send(slot, request, neverAborts);
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
  const { providers, slot } = await startHttpProvider((_req, res) => {
    res.once("close", closed);
    controller.abort(reason);
  });
  const call = { accept, requestId: "req_1", signal: controller.signal } as const;
  expect(await failureOf(providers.post(slot, Buffer.from("{}"), call))).toBe(reason);
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce(), waitOptions);
});

test("a call that is aborted once its provider has refused it fails with the refusal", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const { providers, slot } = await startHttpProvider((_req, res) => {
    res.writeHead(500).end(JSON.stringify({ error: { message: "it broke" } }));
  });
  const kind: ProviderKind = {
    ...slot.provider.kind,
    // Its body has been read.
    readRefusal(refusal) {
      controller.abort(new Error("the client disconnected"));
      return slot.provider.kind.readRefusal(refusal);
    },
  };
  const aborting = { ...slot, provider: { ...slot.provider, kind } };
  const sent = providers.post(aborting, Buffer.from("{}"), { accept, requestId: "req_1", signal });
  expect(await failureOf(sent)).toMatchObject({ name: "SlotFailure", status: 500 });
  expect(signal.aborted).toBe(true);
});

test("a connection that broke is told from an error of the provider, and from its silence", async () => {
  const { providers, slot } = await startHttpProvider((req, res) => {
    if (req.url?.endsWith("/breaks")) res.destroy();
    else if (req.url?.endsWith("/fails")) res.writeHead(500).end();
  });
  const isBroken = async (path: string, timeoutMs: number) => {
    const provider = { ...slot.provider, timeoutMs };
    const call = { accept, requestId: "req_1", signal: neverAborts } as const;
    const sent = providers.post({ ...slot, provider, path }, Buffer.from("{}"), call);
    return isBrokenConnection(await failureOf(sent));
  };
  expect(await isBroken("/breaks", 60_000)).toBe(true);
  expect(await isBroken("/fails", 60_000)).toBe(false);
  expect(await isBroken("/hangs", 50)).toBe(false);
});

test("a call whose signal is already aborted sends no request", async () => {
  const handle = vi.fn();
  const { providers, slot } = await startHttpProvider(handle);
  const signal = AbortSignal.abort(new Error("too late"));
  const call = { accept, requestId: "req_1", signal } as const;
  expect(await failureOf(providers.post(slot, Buffer.from("{}"), call))).toBe(signal.reason);
  expect(handle).not.toHaveBeenCalled();
});

test("a call that is aborted before it has a connection throws that nothing was sent", async () => {
  const handle = vi.fn();
  const { providers, slot } = await startHttpProvider(handle);
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
  const { providers, slot } = await startHttpProvider((req, res) => {
    sockets.add(req.socket);
    res.once("close", () => closed(res.writableFinished));
    if (req.url === "/v1/endless") res.write("first");
    else res.end("the full body");
  });
  const request = { method: "GET", headers: {} } as const;
  for (const _ of [1, 2]) {
    const full = await providers.send(slot, { ...request, path: "/full" }, neverAborts);
    expect(await collectText(full.body)).toBe("the full body");
    // A connection is free one turn of the event loop after its response has ended.
    await nextTurn();
  }
  expect(sockets.size).toBe(1);
  const endless = await providers.send(slot, { ...request, path: "/endless" }, neverAborts);
  for await (const _ of endless.body) break;
  await vi.waitFor(() => expect(closed.mock.calls).toEqual([[true], [true], [false]]), waitOptions);
});

test("a response that ends by itself after `letEnd` leaves its connection open", async () => {
  const sockets = new Set<unknown>();
  let isKept = false;
  let end = () => {};
  const { providers, slot } = await startHttpProvider((req, res) => {
    isKept ||= sockets.has(req.socket);
    sockets.add(req.socket);
    res.write("first");
    end = () => res.end("more");
  });
  const request = { method: "GET", path: "/events", headers: {} } as const;
  await vi.waitFor(async () => {
    const { body } = await providers.send(slot, request, neverAborts);
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
  const { providers, slot } = await startHttpProvider(async (_req, res) => {
    for (; written < chunks; written += 1) if (!res.write(chunk)) await once(res, "drain");
    res.end();
  });
  const request = { method: "GET", path: "/large", headers: {} } as const;
  const { body } = await providers.send(slot, request, neverAborts);
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
