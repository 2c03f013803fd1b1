import { WebSocket } from "ws";
import type { Exchange } from "./exchange.ts";

const frameBytes = 3_200;
const patienceMs = 90_000;

/** One live transcription: sends all audio, then hears it out. Never raises. */
export async function liveExchange(edge: string, key: string, audio: Buffer): Promise<Exchange> {
  const seen: Exchange = { ended: "broken", status: 0, requestId: "", text: "", bytes: 0 };
  const url = `${edge.replace("http", "ws")}/v1/audio/transcriptions/stream`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
  socket.on("upgrade", ({ headers }) => {
    seen.status = 200;
    seen.requestId = String(headers["x-request-id"] ?? "");
  });
  socket.on("unexpected-response", (_request, { statusCode = 0, headers }) => {
    Object.assign(seen, { ended: "refused", status: statusCode });
    seen.requestId = String(headers["x-request-id"] ?? "");
    socket.terminate();
  });
  let failed = false;
  socket.on("message", (data) => {
    failed ||= String(data).includes('"error"');
  });
  socket.on("error", () => {});
  const late = setTimeout(() => socket.terminate(), patienceMs);
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  socket.on("open", () => {
    socket.send(JSON.stringify({ model: "test-hear", format: "pcm_s16le" }));
    for (let at = 0; at < audio.length; at += frameBytes) {
      socket.send(audio.subarray(at, at + frameBytes));
    }
    socket.send(JSON.stringify({ action: "flush" }));
  });
  const code = await closed;
  clearTimeout(late);
  if (code === 1_000 && !failed) seen.ended = "whole";
  return seen;
}
