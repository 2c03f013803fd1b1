import { randomBytes } from "node:crypto";
import { request } from "node:http";
import type { Socket } from "node:net";
import { requestHeaders, timeoutMs } from "./http-request.ts";
import { clientFrame, opcodes, readFrames, type ServerFrame } from "./web-socket-frames.ts";

/** An open WebSocket. */
export interface LiveSocket {
  sendText(text: string): void;
  sendBinary(data: Buffer): void;
  /** Resolves when the socket has closed: with its close code and the texts that it received. */
  closed: Promise<{ code: number; texts: string[] }>;
}

/** The code of a connection that ended without a close frame. */
const abnormalClosure = 1_006;
/** The code of a close frame without a code. */
const noCode = 1_005;

/**
 * Opens a WebSocket. Throws if the server refuses it. Node's own WebSocket cannot be used, because it
 * takes the `Host` header from the URL.
 */
export function openSocket(
  url: string,
  { key, host }: { key: string; host: string | undefined },
): Promise<LiveSocket> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...requestHeaders(key, host),
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
    };
    const sent = request(url, { headers, agent: false, timeout: timeoutMs });
    sent.on("upgrade", (_response, socket, head) => resolve(serve(socket as Socket, head)));
    sent.on("response", (response) => {
      response.resume();
      reject(new Error(`${response.statusCode} instead of an upgrade`));
    });
    sent.on("timeout", () => sent.destroy(new Error(`no upgrade within ${timeoutMs} ms`)));
    sent.on("error", reject).end();
  });
}

function serve(socket: Socket, head: Buffer): LiveSocket {
  const texts: string[] = [];
  let pending: Buffer = Buffer.alloc(0);
  let code: number = abnormalClosure;

  function receive(chunk: Buffer): void {
    const { frames, rest } = readFrames(Buffer.concat([pending, chunk]));
    pending = rest;
    frames.forEach(handle);
  }

  function handle({ opcode, payload }: ServerFrame): void {
    if (opcode === opcodes.text) texts.push(payload.toString());
    if (opcode === opcodes.ping) socket.write(clientFrame(opcodes.pong, payload));
    if (opcode !== opcodes.close) return;
    code = payload.length >= 2 ? payload.readUInt16BE(0) : noCode;
    socket.end(clientFrame(opcodes.close, payload), () => socket.destroy());
  }

  const closed = new Promise<{ code: number; texts: string[] }>((resolve) => {
    socket.on("close", () => resolve({ code, texts }));
  });
  // The close code says how it ended.
  socket.on("error", () => {});
  socket.on("end", () => socket.end());
  socket.setTimeout(timeoutMs, () => socket.destroy());
  socket.on("data", receive);
  receive(head);
  return {
    sendText: (text) => socket.write(clientFrame(opcodes.text, Buffer.from(text))),
    sendBinary: (data) => socket.write(clientFrame(opcodes.binary, data)),
    closed,
  };
}
