import { once } from "node:events";
import {
  ClientRequest,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { create } from "@bufbuild/protobuf";
import type { Cancellable } from "@tollgate/core/cancellation";
import { GatewayError, serviceUnavailable } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import { serveRoutes } from "@tollgate/http/proxied-request";
import { serveProxied } from "@tollgate/http/server";
import { createUploadSpace } from "@tollgate/http/upload-space";
import { freePort } from "@tollgate/local/free-port";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import { expect, onTestFinished, test, vi } from "vitest";
import { sendBodyTimeout } from "../http/error-response.ts";
import { createServiceProxy, type UpgradeOptions } from "./service-proxy.ts";

const requestId = "req_1";
const caller = create(CallerSchema, { requestId, accountId: "a", keyId: "k" });
const headers = { "x-request-id": requestId, "inference-id": requestId };

/** Proxies an upgrade to this service, and returns all that the client reads. */
async function upgradeTo(
  service: (socket: Socket) => void,
  protocol?: string,
  fields = "",
  { responded = () => {}, signal = new AbortController().signal }: Partial<UpgradeOptions> = {},
): Promise<string> {
  const replica = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => service(socket));
  });
  replica.listen(0, "127.0.0.1");
  await once(replica, "listening");
  const { port } = replica.address() as AddressInfo;
  const proxy = createServiceProxy(
    [{ host: "127.0.0.1", port }],
    createPeerAuth({}),
    createLog("silent"),
  );
  const edge = createServer();
  const released: Promise<unknown>[] = [];
  edge.on("upgrade", (req: IncomingMessage, socket: Socket, head: Buffer) => {
    released.push(new Promise((resolve) => socket.once("close", resolve)));
    socket.on("error", () => {});
    proxy.upgrade(req, socket, head, { caller, headers, protocol, responded, signal });
  });
  edge.listen(0, "127.0.0.1");
  await once(edge, "listening");
  onTestFinished(() => {
    proxy.close();
    edge.close();
    replica.close();
  });
  const address = { port: (edge.address() as AddressInfo).port, host: "127.0.0.1" };
  const client = connect({ ...address, allowHalfOpen: true });
  client.on("error", () => {});
  // A WebSocket sends its own close frame before it closes.
  client.once("end", () => setTimeout(() => client.end("the client's close frame"), 100));
  const requestHeaders = `host: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n${fields}`;
  client.write(`GET / HTTP/1.1\r\n${requestHeaders}\r\n`);
  let text = "";
  client.on("data", (part) => {
    text += part.toString("latin1");
  });
  await once(client, "close");
  await Promise.all(released);
  return text;
}

const switching =
  "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";

test.each([
  ["by a reset", (socket: Socket) => socket.resetAndDestroy()],
  ["without a close frame", (socket: Socket) => socket.end()],
])("a service that closes %s after the upgrade is reported in an error frame", async (_, leave) => {
  const text = await upgradeTo((socket) => {
    socket.write(switching);
    setTimeout(() => leave(socket), 50);
  });
  expect(text).toMatch(/^HTTP\/1\.1 101 /);
  const [, stream = "", ...more] = text.split("\r\n\r\n");
  expect(more).toEqual([]);
  expect(JSON.parse(stream.slice(4, -4))).toMatchObject({
    error: { code: "no_provider_available", retryable: true },
  });
  expect(Buffer.from(stream.slice(-4), "latin1")).toEqual(Buffer.from([0x88, 2, 0x03, 0xf3]));
});

test("no error frame is sent within a frame, nor after a close frame", async () => {
  for (const last of ["\x81\x05cut", "\x88\x00"]) {
    const text = await upgradeTo((socket) => {
      socket.write(switching);
      setTimeout(() => socket.end(last, "latin1"), 50);
    });
    expect(text.endsWith(`\r\n\r\n${last}`)).toBe(true);
  }
});

test("the client's connection is closed after the service's", async () => {
  const text = await upgradeTo((socket) => {
    socket.write(switching);
    setTimeout(() => socket.end("the last bytes", () => socket.destroy()), 50);
  });
  expect(text).toContain("the last bytes");
});

test("a service that closes before the upgrade is a 500 with the request id", async () => {
  const text = await upgradeTo((socket) => socket.resetAndDestroy());
  expect(text).toMatch(/^HTTP\/1\.1 500 /);
  expect(text).toContain(`x-request-id: ${requestId}\r\n`);
  expect(text).toContain('"code":"internal_error"');
});

test("the response to an upgrade has the request id, and the sub-protocol if there is one", async () => {
  const text = await upgradeTo((socket) => socket.end(switching), "only");
  for (const [name, value] of Object.entries({ ...headers, "sec-websocket-protocol": "only" })) {
    expect(text).toContain(`${name}: ${value}\r\n`);
  }
});

test("a service's own rejection has the request id, and no sub-protocol", async () => {
  const rejection = "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\nno";
  const text = await upgradeTo((socket) => socket.end(rejection), "only");
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain(`x-request-id: ${requestId}\r\n`);
  expect(text).not.toContain("only");
});

test.each([
  ["that is accepted", (socket: Socket) => socket.end(switching), 101],
  ["that is rejected", (socket: Socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"), 403],
  ["that is reset", (socket: Socket) => socket.resetAndDestroy(), 500],
  [
    "whose stream is reset",
    (socket: Socket) => socket.write(switching, () => setTimeout(() => socket.destroy(), 50)),
    101,
  ],
])("the status of an upgrade %s is reported once", async (_, service, status) => {
  const responded = vi.fn();
  await upgradeTo((socket) => void service(socket), undefined, "", { responded });
  expect(responded.mock.calls.map(([sent]) => sent)).toEqual([status]);
});

test.each([
  ["during the stream", (revoke: () => void) => void setTimeout(revoke, 50)],
  ["before it is accepted", (revoke: () => void) => revoke()],
])("a stream whose key is revoked %s gets an error frame and ends, as does the service's", async (_, when) => {
  const revoked = new AbortController();
  const left = Promise.withResolvers<void>();
  const accept = (socket: Socket) => {
    socket.once("close", left.resolve);
    when(() => revoked.abort(new GatewayError("key_revoked", "Revoked.")));
    socket.write(switching);
  };
  const text = await upgradeTo(accept, undefined, "", { signal: revoked.signal });
  const [, stream = ""] = text.split("\r\n\r\n");
  expect(JSON.parse(stream.slice(4, -4))).toMatchObject({
    error: { code: "key_revoked", retryable: false },
  });
  expect(Buffer.from(stream.slice(-4), "latin1")).toEqual(Buffer.from([0x88, 2, 0x03, 0xf0]));
  await left.promise;
});

test("an upgrade that announces trailers is forwarded without them", async () => {
  const text = await upgradeTo((socket) => socket.end(switching), undefined, "trailer: x-a\r\n");
  expect(text).toMatch(/^HTTP\/1\.1 101 /);
});

/** Proxies upgrades to this service with a short limit. Returns a client that sent its upgrade. */
async function dialUpgrade(service: (socket: Socket) => void, stallMs: number): Promise<Socket> {
  const replica = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.write(switching, () => service(socket)));
  }).listen(0, "127.0.0.1");
  await once(replica, "listening");
  const addresses = [{ host: "127.0.0.1", port: (replica.address() as AddressInfo).port }];
  const proxy = createServiceProxy(addresses, createPeerAuth({}), createLog("silent"), stallMs);
  const edge = createServer();
  edge.on("upgrade", (req: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => {});
    const { signal } = new AbortController();
    const options = { caller, headers, protocol: undefined, responded: () => {}, signal };
    proxy.upgrade(req, socket, head, options);
  });
  edge.listen(0, "127.0.0.1");
  await once(edge, "listening");
  const { port } = edge.address() as AddressInfo;
  const client = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  client.on("error", () => {});
  onTestFinished(() => {
    client.destroy();
    proxy.close();
    edge.close();
    replica.close();
  });
  client.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
  return client;
}

test("a client that does not close its side after the service is cut, even while it sends", async () => {
  const client = await dialUpgrade((service) => service.end("\x88\x00", "latin1"), 300);
  client.resume();
  const closed = new Promise((resolve) => client.once("close", resolve));
  await once(client, "end");
  const sending = setInterval(() => client.write("audio"), 20);
  onTestFinished(() => clearInterval(sending));
  await closed;
});

test("a client that reads nothing of its stream is cut, and so is the service", async () => {
  const left = Promise.withResolvers<void>();
  const client = await dialUpgrade((service) => {
    service.once("close", () => left.resolve());
    const flood = () => {
      while (!service.destroyed && service.write(Buffer.alloc(65_536)));
    };
    service.on("drain", flood);
    flood();
  }, 300);
  client.pause();
  await left.promise;
});

test("a client that reads nothing is disconnected, and so is the service", async () => {
  const replica = createServer();
  const left = new Promise((resolve) => {
    replica.on("request", async (_req, res) => {
      res.once("close", resolve);
      const block = Buffer.alloc(65_536);
      while (!res.destroyed) if (!res.write(block)) await once(res, "drain").catch(() => {});
    });
  });
  replica.listen(0, "127.0.0.1");
  await once(replica, "listening");
  const { port } = replica.address() as AddressInfo;
  const addresses = [{ host: "127.0.0.1", port }];
  const proxy = createServiceProxy(addresses, createPeerAuth({}), createLog("silent"), 300);
  const edge = createServer((req, res) =>
    proxy.web(req, res, caller, new AbortController().signal),
  );
  edge.listen(0, "127.0.0.1");
  await once(edge, "listening");
  const client = connect((edge.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => {});
  onTestFinished(() => {
    client.destroy();
    proxy.close();
    edge.close();
    replica.close();
  });
  client.pause();
  client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  await left;
});

/** Connects a client to an edge in front of one replica. */
async function dialEdge() {
  const replica = createServer().listen(0, "127.0.0.1");
  await once(replica, "listening");
  const { port } = replica.address() as AddressInfo;
  const addresses = [{ host: "127.0.0.1", port }];
  const proxy = createServiceProxy(addresses, createPeerAuth({}), createLog("silent"));
  const edge = createServer((req, res) =>
    proxy.web(req, res, caller, new AbortController().signal),
  ).listen(0, "127.0.0.1");
  await once(edge, "listening");
  onTestFinished(() => {
    proxy.close();
    edge.close();
    replica.close();
  });
  return { edge, replica, client: connect((edge.address() as AddressInfo).port, "127.0.0.1") };
}

test("a service receives the head of an upload at once, however slow its body is", async () => {
  const { replica, client } = await dialEdge();
  client.write("POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 4\r\n\r\nab");
  const [req, res] = (await once(replica, "request")) as [IncomingMessage, ServerResponse];
  client.write("cd");
  expect(await textOf(req)).toBe("abcd");
  res.end("received");
  expect(await textOf(client)).toMatch(/received$/);
});

test("an upload that is refused for its slowness never ends at the service", async () => {
  const { edge, replica, client } = await dialEdge();
  client.on("error", () => {});
  client.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nab");
  const [[received, res], [req]] = (await Promise.all([
    once(edge, "request"),
    once(replica, "request"),
  ])) as [[IncomingMessage, ServerResponse], [IncomingMessage]];
  const signal = new AbortController().signal;
  const end = () => {};
  const context = { res, requestId: "req_1", headers: {}, signal, end, index: -1 };
  sendBodyTimeout({ ...context, req: received });
  client.write("cd");
  await expect(textOf(req)).rejects.toThrow("aborted");
});

test("an upload that announces trailers is forwarded without them", async () => {
  const { replica, client } = await dialEdge();
  const announced = "connection: close\r\ntrailer: x-a\r\ncontent-length: 2";
  client.write(`POST / HTTP/1.1\r\nhost: x\r\n${announced}\r\n\r\nab`);
  const [req, res] = (await once(replica, "request")) as [IncomingMessage, ServerResponse];
  expect(req.headers.trailer).toBeUndefined();
  expect(await textOf(req)).toBe("ab");
  res.end("received");
  expect(await textOf(client)).toMatch(/received$/);
});

test.each<[string, (replica: Server) => void]>([
  ["is down", (replica) => replica.close()],
  ["closes the connection", (replica) => replica.on("request", ({ socket }) => socket.destroy())],
  [
    "cannot be sent the head",
    () => {
      const sent = vi.spyOn(ClientRequest.prototype, "flushHeaders");
      onTestFinished(() => sent.mockRestore());
      sent.mockImplementationOnce(() => {
        throw new Error("a head that cannot be written");
      });
    },
  ],
])("a large upload whose service %s is read to its end, and rejected", async (_, fail) => {
  const { replica, client } = await dialEdge();
  fail(replica);
  const body = Buffer.alloc(20 * 1024 * 1024);
  const head = `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${body.length}`;
  client.write(`${head}\r\n\r\n`);
  await new Promise<void>((resolve, reject) => {
    client.write(body, (error) => (error ? reject(error) : resolve()));
  });
  expect(await textOf(client)).toMatch(/^HTTP\/1\.1 503 /);
});

/** Proxies an upload to a service, whose route has read it and responds no more. */
async function uploadedCall(signal: AbortSignal) {
  const read = Promise.withResolvers<Cancellable>();
  const log = createLog("silent");
  const peerAuth = createPeerAuth({});
  const uploads = createUploadSpace({ maxBytes: 2 ** 30, log, onChange() {} });
  const handlers = {
    request: serveRoutes(
      {
        async "/upload"({ req, cancellation }) {
          await textOf(req);
          cancellation.beginPart({ callerLeft() {} });
          read.resolve(cancellation);
          await new Promise(() => {});
        },
      },
      { log, peerAuth, uploads },
    ),
  };
  const address = { host: "127.0.0.1", port: await freePort() };
  const service = await serveProxied(address, handlers, peerAuth);
  const proxy = createServiceProxy([address], peerAuth, log);
  const edge = createServer((req, res) => proxy.web(req, res, caller, signal));
  edge.listen(0, "127.0.0.1");
  await once(edge, "listening");
  const client = connect((edge.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(async () => {
    client.destroy();
    proxy.close();
    edge.close();
    await service.stop(0);
  });
  client.write("POST /upload HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n");
  client.write("3\r\nabc\r\n0\r\n\r\n");
  return { client, edge, proxy, cancellation: await read.promise };
}

test("a service is told that the client left, also one whose key was revoked before", async () => {
  for (const signal of [
    new AbortController().signal,
    AbortSignal.abort(new GatewayError("key_revoked", "Revoked.")),
  ]) {
    const { client, cancellation } = await uploadedCall(signal);
    expect(cancellation.hasLeft).toBe(false);
    client.destroy();
    await expect.poll(() => cancellation.hasLeft).toBe(true);
    expect(cancellation.signal.aborted).toBe(false);
  }
});

test("an edge that stops, or whose connection breaks, is not a client that left", async () => {
  const stopped = new AbortController();
  const ended = await uploadedCall(stopped.signal);
  stopped.abort(serviceUnavailable());
  ended.edge.closeAllConnections();
  const broken = await uploadedCall(new AbortController().signal);
  broken.proxy.close();
  for (const { cancellation } of [ended, broken]) {
    await expect.poll(() => cancellation.signal.aborted).toBe(true);
    expect(cancellation.signal.reason).toMatchObject({ reason: "unavailable" });
    expect(cancellation.hasLeft).toBe(false);
  }
});
