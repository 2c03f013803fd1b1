import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { chatBody, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const form = "multipart/form-data; boundary=x";
const twoKeys = "authorization: Bearer a\r\nAuthorization: Bearer b\r\n";

const { stack } = await sharedStack();

/** Tests that need a raw socket. */
describe("connections", () => {
  async function open(): Promise<Socket> {
    const { hostname, port } = new URL(stack.url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    return socket;
  }

  /** Reads until the connection ends. */
  async function readAll(socket: Socket): Promise<string> {
    let text = "";
    for await (const part of socket) text += String(part);
    return text;
  }

  function expectError(response: string, status: number, code: string): void {
    const [head = "", body = ""] = response.split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/\r\nx-request-id: req_[0-9a-f]{32}(\r\n|$)/);
    expect(JSON.parse(body)).toMatchObject({ error: { code } });
  }

  test.each<[string, number, string, string, string, string?]>([
    ["an unknown key", 401, "invalid_api_key", "POST", "/v1/chat/completions"],
    ["an unknown key of an upload", 401, "invalid_api_key", "POST", "/v1/ocr", form],
    ["an empty wallet", 402, "credit_balance_exhausted", "POST", "/v1/chat/completions"],
    ["another kind of key", 403, "channel_key_required", "POST", "/v1/hf/billing"],
    ["an unknown path", 404, "not_found", "POST", "/v1/nothing"],
    ["another method", 405, "method_not_allowed", "PUT", "/v1/chat/completions"],
  ])("%s is reported to a client that closes, and reads only after it has sent its body", async (...row) => {
    const [, status, code, method, path, type = "application/json"] = row;
    const poor = await stack.newAccount(0);
    const key = status === 401 ? "sk-tollgate-unknown" : poor.key;
    const body = Buffer.alloc(20 * 1024 * 1024, " ");
    const socket = await open();
    socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n` +
        `authorization: Bearer ${key}\r\ncontent-type: ${type}\r\n` +
        `content-length: ${body.byteLength}\r\n\r\n`,
    );
    await new Promise<void>((resolve, reject) => {
      socket.write(body, (error) => (error ? reject(error) : resolve()));
    });
    expectError(await readAll(socket), status, code);
  });

  test.each<[string, number, string, string]>([
    ["HTTP/1.1 without a host", 400, "invalid_param", "GET /v1/models HTTP/1.1\r\n"],
    ["two hosts", 400, "invalid_param", "GET /v1/models HTTP/1.1\r\nhost: x\r\nHOST: y\r\n"],
    ["two keys", 400, "invalid_param", `GET /v1/models HTTP/1.1\r\nhost: x\r\n${twoKeys}`],
    [
      "an upgrade with two keys",
      400,
      "invalid_param",
      `GET /v1/audio/transcriptions/stream HTTP/1.1\r\nhost: x\r\n${twoKeys}upgrade: websocket\r\n`,
    ],
    ["a URL of another scheme", 404, "not_found", "GET foo://x HTTP/1.1\r\nhost: x\r\n"],
    ["CONNECT", 404, "not_found", "CONNECT x:443 HTTP/1.1\r\nhost: x\r\n"],
    ["invalid HTTP", 400, "invalid_json", "NONSENSE\r\n"],
  ])("%s is refused with the envelope", async (_, status, code, head) => {
    const socket = await open();
    const connection = head.includes("upgrade:") ? "upgrade" : "close";
    socket.write(`${head}connection: ${connection}\r\n\r\n`);
    expectError(await readAll(socket), status, code);
  });

  test("a body with too large a content length is refused before it is sent", async () => {
    const { key } = await stack.newAccount(1);
    const socket = await open();
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
        `content-length: ${32 * 1024 * 1024 + 1}\r\n\r\n{`,
    );
    let text = "";
    while (!text.includes("}}")) text += String((await once(socket, "data"))[0]);
    expectError(text, 400, "invalid_json");
    socket.destroy();
  });

  test("invalid HTTP after a request whose response has started only ends the connection", async () => {
    const { key } = await stack.newAccount(1);
    const body = JSON.stringify(chatBody({ stream: true, ...simulate("chunks=100&gap_ms=100") }));
    const socket = await open();
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    await once(socket, "readable");
    socket.write("NONSENSE\r\n\r\n");
    const text = await readAll(socket);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test("an absolute request URL is served by its path and query, whatever its host and port", async () => {
    const { key } = await stack.newAccount(1);
    const request = async (method: string, path: string) => {
      const socket = await open();
      socket.write(
        `${method} http://a:99999${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n` +
          `authorization: Bearer ${key}\r\ncontent-length: 0\r\n\r\n`,
      );
      return readAll(socket);
    };
    expect(await request("GET", "/v1/conversations?limit=7")).toMatch(/ 200 OK[\s\S]*"limit":7/);
    expectError(await request("GET", "/v1/audio/voices?model=x"), 404, "model_not_found");
    for (const path of ["/v1/ocr", "/v1/chat/completions"]) {
      expectError(await request("POST", path), 400, "invalid_json");
    }
  });

  test("HTTP/1.0 needs no host", async () => {
    const socket = await open();
    socket.write("GET /v1/models HTTP/1.0\r\n\r\n");
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });
});
