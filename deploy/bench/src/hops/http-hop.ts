import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  CompleteRequestSchema,
  CompleteResponseSchema,
  StreamRequestSchema,
  StreamResponseSchema,
} from "@tollgate/proto/tollgate/v1/chat";
import type { CallContext } from "@tollgate/rpc/implementation";
import { Pool } from "undici";
import type { Hop } from "./hop.ts";
import { handlers, streamRequest, unaryRequest } from "./payload.ts";

const headers = { "content-type": "application/protobuf" };
const lengthBytes = 4;
const maxConnections = 64;

/**
 * HTTP/1.1 with keep-alive: one connection per concurrent call, protobuf bodies, and messages of a
 * stream with a 32-bit length before each.
 */
export const httpHop: Hop = {
  async serve(port) {
    const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
      const respond = request.url === "/complete" ? respondUnary : respondStream;
      respond(request, response).catch(() => response.destroy());
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  },
  connect(port) {
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: maxConnections });
    return {
      async unary() {
        const body = toBinary(CompleteRequestSchema, create(CompleteRequestSchema, unaryRequest));
        const chunks: Buffer[] = [];
        await post(pool, "/complete", body, (chunk) => chunks.push(chunk));
        const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
        return fromBinary(CompleteResponseSchema, bytes).body.length;
      },
      async stream(gapMs) {
        const request = create(StreamRequestSchema, streamRequest(gapMs));
        let count = 0;
        const push = createMessageReader((bytes) => {
          fromBinary(StreamResponseSchema, bytes);
          count += 1;
        });
        await post(pool, "/stream", toBinary(StreamRequestSchema, request), push);
        return count;
      },
    };
  },
};

async function respondUnary(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const message = fromBinary(CompleteRequestSchema, await readBody(request));
  const result = await handlers.complete(message, contextOf(response));
  const bytes = toBinary(CompleteResponseSchema, create(CompleteResponseSchema, result));
  response.writeHead(200, { ...headers, "content-length": bytes.length });
  response.end(bytes);
}

async function respondStream(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const message = fromBinary(StreamRequestSchema, await readBody(request));
  response.writeHead(200, headers);
  for await (const part of handlers.stream(message, contextOf(response))) {
    const bytes = toBinary(StreamResponseSchema, create(StreamResponseSchema, part));
    const frame = Buffer.allocUnsafe(lengthBytes + bytes.length);
    frame.writeUInt32BE(bytes.length);
    frame.set(bytes, lengthBytes);
    if (!response.write(frame)) await once(response, "drain");
  }
  response.end();
}

/** Handlers get a signal that aborts on a disconnect, as those of the other hops do. */
function contextOf(response: ServerResponse): CallContext {
  const controller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) controller.abort();
  });
  return { signal: controller.signal };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(request, "end");
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

function post(
  pool: Pool,
  path: string,
  body: Uint8Array,
  onData: (chunk: Buffer) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  pool.dispatch(
    { path, method: "POST", headers, body },
    {
      onRequestStart() {},
      onResponseStart(_, status) {
        if (status !== 200) reject(new Error(`status ${status}`));
      },
      onResponseData(_, chunk) {
        onData(chunk);
      },
      onResponseEnd() {
        resolve();
      },
      onResponseError(_, error) {
        reject(error);
      },
    },
  );
  return promise;
}

/** Returns a function that splits the bytes of a stream into messages. */
function createMessageReader(onMessage: (bytes: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (bytes.length - at >= lengthBytes) {
      const end = at + lengthBytes + bytes.readUInt32BE(at);
      if (end > bytes.length) break;
      onMessage(bytes.subarray(at + lengthBytes, end));
      at = end;
    }
    rest = bytes.subarray(at);
  };
}
