import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { wav } from "../src/audio-files.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { chatBody, expectEnvelope } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const path = "/v1/audio/transcriptions/stream";
const handshake = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-version": "13",
};
/** The upgrade that curl and Java's client offer on plain HTTP. */
const http2 = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAA" };

const { stack, account } = await sharedStack({ creditUsd: 10 });

describe("upgrades", () => {
  /** Sends a request with exactly these headers. */
  async function sendRaw(
    address: string,
    headers: Record<string, string | undefined>,
    body?: string | Buffer,
    method = body === undefined ? "GET" : "POST",
  ): Promise<HttpResponse> {
    const { hostname, port } = new URL(stack.url);
    const own = { authorization: `Bearer ${account.key}`, ...headers };
    const sent = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
    const request = httpRequest({ hostname, port, path: address, method, headers: sent });
    request.end(body);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    let text = "";
    for await (const part of response) text += String(part);
    const parsed = text.startsWith("{") ? (JSON.parse(text) as unknown) : undefined;
    return {
      status: response.statusCode ?? 0,
      headers: new Headers(response.headers as Record<string, string>),
      text,
      body: parsed,
    };
  }

  async function formOf(fields: Record<string, string>, file: Buffer) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append("file", new Blob([new Uint8Array(file)], { type: "audio/wav" }), "a.wav");
    const response = new Response(form);
    const body = Buffer.from(await response.arrayBuffer());
    return { body, headers: { "content-type": response.headers.get("content-type") ?? "" } };
  }

  test("an upgrade that is offered on an ordinary route is ignored", async () => {
    for (const offer of [http2, handshake]) {
      expect((await sendRaw("/v1/models", offer)).status).toBe(200);
      const chat = { ...offer, "content-type": "application/json" };
      const body = JSON.stringify(chatBody());
      expect((await sendRaw("/v1/chat/completions", chat, body)).status).toBe(200);
      for (const [address, model] of [
        ["/v1/ocr", "test-read"],
        ["/v1/audio/transcriptions", "test-hear"],
      ] as const) {
        const form = await formOf({ model }, wav(1));
        expect((await sendRaw(address, { ...offer, ...form.headers }, form.body)).status).toBe(200);
      }
    }
  });

  test("an unknown expectation is ignored", async () => {
    expect((await sendRaw("/v1/models", { expect: "miracles" })).status).toBe(200);
  });

  test("a request without a WebSocket handshake is refused on the live route", async () => {
    expectEnvelope(await sendRaw(path, http2), 400, "invalid_param", "Upgrade");
    const posted = await sendRaw(path, handshake, "", "POST");
    expectEnvelope(posted, 405, "method_not_allowed");
    expect(posted.headers.get("allow")).toBe("GET, HEAD");
  });

  test.each([
    "websocket, h2c",
    "h2c,WebSocket",
  ])("a WebSocket is chosen from a list of protocols: %s", async (upgrade) => {
    const { hostname, port } = new URL(stack.url);
    const headers = { authorization: `Bearer ${account.key}`, ...handshake, upgrade };
    const request = httpRequest({ hostname, port, path, headers });
    request.end();
    const [response, socket] = (await once(request, "upgrade")) as [IncomingMessage, Socket];
    socket.destroy();
    expect([response.statusCode, response.headers.upgrade]).toEqual([101, "websocket"]);
    expect(response.headers["sec-websocket-accept"]).toBe("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  });

  test.each([
    "//",
    "/v1/audio/../audio/transcriptions/stream",
    "/v1/elsewhere",
    `${path}/`,
  ])("%s is not the live address", async (address) => {
    expectEnvelope(await sendRaw(address, handshake), 404, "not_found");
  });

  test.each([
    ["no key", { "sec-websocket-key": undefined }, "Sec-WebSocket-Key"],
    ["an invalid key", { "sec-websocket-key": "x" }, "Sec-WebSocket-Key"],
    ["no version", { "sec-websocket-version": undefined }, "Sec-WebSocket-Version"],
    ["another version", { "sec-websocket-version": "12" }, "Sec-WebSocket-Version"],
    ["a broken sub-protocol", { "sec-websocket-protocol": "a,,b" }, "Sec-WebSocket-Protocol"],
  ])("a handshake with %s is a 400 that names the header", async (_, change, param) => {
    const response = await sendRaw(path, { ...handshake, ...change });
    expectEnvelope(response, 400, "invalid_param", param);
    const { error } = response.body as { error: { message: string } };
    expect(error.message).toMatch(new RegExp(`^${param} must be .*\\.$`));
    expect(response.headers.get("sec-websocket-version")).toBe("13");
  });

  async function open(key: string | undefined, protocols: string[] = []) {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const socket = new WebSocket(`${stack.url.replace("http", "ws")}${path}`, protocols, {
      headers,
    });
    const [[response]] = await Promise.all([once(socket, "upgrade"), once(socket, "open")]);
    socket.terminate();
    return { protocol: socket.protocol, headers: (response as IncomingMessage).headers };
  }

  test("a settlement key receives its request's id in both headers of the upgrade", async () => {
    const { accountId } = account;
    const { key } = await stack.operator.createKey({ account: accountId, channel: "settlement" });
    const { headers } = await open(key);
    expect(headers["x-request-id"]).toMatch(/^req_[0-9a-f]{32}$/);
    expect(headers["inference-id"]).toBe(headers["x-request-id"]);
    expect((await open(account.key)).headers["inference-id"]).toBeUndefined();
  });

  test("a key may be the only sub-protocol, or one of several", async () => {
    const carrier = `openai-insecure-api-key.${account.key}`;
    expect((await open(undefined, [carrier])).protocol).toBe(carrier);
    expect((await open(undefined, ["realtime", carrier])).protocol).toBe("realtime");
  });
});
