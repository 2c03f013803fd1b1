import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { livePath } from "./live-client.ts";

const finalFrame = 0x80;
const masked = 0x80;
const opcodes = { text: 1, audio: 2, close: 8, ping: 9, pong: 10 } as const;

type Opcode = keyof typeof opcodes;

/**
 * A live transcription over a plain TCP connection. It does what RFC 6455 demands of a client: it
 * masks its frames, responds to a ping with a pong and to a close frame with a close frame, and
 * waits for the server to end the connection.
 */
export interface RawWebSocket {
  send(kind: Opcode, payload: Buffer | string): void;
  /** The text frames received so far. */
  readonly texts: string[];
  /** Resolves with the code of the server's close frame. */
  closeFrame: Promise<number>;
  /** Resolves when the server has ended its side of the connection. */
  ended: Promise<void>;
}

/** Opens a live transcription. */
export async function openRawWebSocket(url: string, key: string): Promise<RawWebSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const closeFrame = Promise.withResolvers<number>();
  const texts: string[] = [];
  const send = (kind: Opcode, payload: Buffer | string) =>
    void socket.write(frameOf(opcodes[kind], Buffer.from(payload)));
  const ended = once(socket, "end").then(() => void socket.end());
  socket.write(handshake(hostname, key));
  const rest = await readHead(socket);
  const readFrames = createFrameReader((opcode, payload) => {
    if (opcode === opcodes.text) texts.push(payload.toString("utf8"));
    if (opcode === opcodes.ping) send("pong", payload);
    if (opcode !== opcodes.close) return;
    closeFrame.resolve(payload.readUInt16BE());
    if (!hasClosed) send("close", payload.subarray(0, 2));
  });
  let hasClosed = false;
  readFrames(rest);
  socket.on("data", readFrames);
  return {
    send(kind, payload) {
      if (kind === "close") hasClosed = true;
      send(kind, payload);
    },
    texts,
    closeFrame: closeFrame.promise,
    ended,
  };
}

function handshake(host: string, key: string): string {
  const lines = [
    `GET ${livePath} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${key}`,
    "connection: Upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Reads the head of the response, which must accept the upgrade. Returns the bytes after it. */
async function readHead(socket: Socket): Promise<Buffer> {
  let received = Buffer.alloc(0);
  while (!received.includes("\r\n\r\n")) {
    const [chunk] = (await once(socket, "data")) as [Buffer];
    received = Buffer.concat([received, chunk]);
  }
  if (!received.toString("latin1").startsWith("HTTP/1.1 101 ")) {
    throw new Error(`the upgrade was refused: ${received.toString("latin1")}`);
  }
  return received.subarray(received.indexOf("\r\n\r\n") + 4);
}

/** The mask is zero: it changes nothing. */
function frameOf(opcode: number, payload: Buffer): Buffer {
  const isShort = payload.length < 126;
  const length = Buffer.alloc(isShort ? 0 : 2);
  if (!isShort) length.writeUInt16BE(payload.length);
  const head = [finalFrame | opcode, masked | (isShort ? payload.length : 126)];
  return Buffer.concat([Buffer.from(head), length, Buffer.alloc(4), payload]);
}

/** Returns a function that calls `onFrame` for each frame of a server, which are not masked. */
function createFrameReader(onFrame: (opcode: number, payload: Buffer) => void) {
  let unread = Buffer.alloc(0);
  return (chunk: Buffer): void => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= 2) {
      const short = unread.readUInt8(1);
      const start = short === 126 ? 4 : 2;
      if (unread.length < start) return;
      const length = short === 126 ? unread.readUInt16BE(2) : short;
      if (unread.length < start + length) return;
      const payload = unread.subarray(start, start + length);
      const opcode = unread.readUInt8(0) & 0x0f;
      unread = unread.subarray(start + length);
      onFrame(opcode, payload);
    }
  };
}
