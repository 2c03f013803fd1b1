import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { SimulatorCall } from "./call.ts";
import type { RecordedCall } from "./call-log.ts";
import { awsFrame } from "./converse/event-frames.ts";
import type { Reply } from "./replies.ts";
import { trickle } from "./trickle.ts";

const compressions = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
} as const;

/** Sends a reply, in small writes where `trickleMs` is their gap. */
export async function sendReply(
  call: SimulatorCall,
  recorded: RecordedCall,
  reply: Reply,
  trickleMs: number | undefined,
): Promise<void> {
  const { status = 200, encoding } = reply;
  const { type, bytes } = contentOf(reply);
  const sent = encoding === undefined ? bytes : compressions[encoding](bytes);
  recorded.status = status;
  call.response.writeHead(status, {
    "content-type": type,
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    ...reply.headers,
  });
  if (trickleMs) await trickle(call, sent, trickleMs);
  recorded.outcome = status < 400 ? "completed" : "failed";
  call.response.end(trickleMs ? undefined : sent);
}

function contentOf({ body, base64, frames }: Reply): { type: string; bytes: Buffer } {
  if (base64 !== undefined) {
    return { type: "application/octet-stream", bytes: Buffer.from(base64, "base64") };
  }
  if (frames !== undefined) {
    const bytes = Buffer.concat(frames.map(([headers, payload]) => awsFrame(headers, payload)));
    return { type: "application/vnd.amazon.eventstream", bytes };
  }
  if (typeof body === "string") {
    return { type: "text/event-stream; charset=utf-8", bytes: Buffer.from(body) };
  }
  return { type: "application/json", bytes: Buffer.from(JSON.stringify(body ?? null)) };
}
