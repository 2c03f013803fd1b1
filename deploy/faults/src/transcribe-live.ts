import { WebSocket } from "ws";
import { brokenResult, type RequestResult } from "./send-request.ts";

const frameBytes = 3_200;
const timeoutMs = 90_000;

/**
 * Sends all audio to a live transcription and reads its events until the socket closes. Never
 * rejects.
 */
export async function transcribeLive(
  edge: string,
  key: string,
  audio: Buffer,
): Promise<RequestResult> {
  const result = brokenResult();
  const url = `${edge.replace("http", "ws")}/v1/audio/transcriptions/stream`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
  socket.on("upgrade", ({ headers }) => {
    result.status = 200;
    result.requestId = String(headers["x-request-id"] ?? "");
  });
  socket.on("unexpected-response", (_request, { statusCode = 0, headers }) => {
    Object.assign(result, { outcome: "refused", status: statusCode });
    result.requestId = String(headers["x-request-id"] ?? "");
    socket.terminate();
  });
  let failed = false;
  socket.on("message", (data) => {
    failed ||= String(data).includes('"error"');
  });
  socket.on("error", () => {});
  const timeout = setTimeout(() => socket.terminate(), timeoutMs);
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  socket.on("open", () => {
    socket.send(JSON.stringify({ model: "test-hear", format: "pcm_s16le" }));
    for (let at = 0; at < audio.length; at += frameBytes) {
      socket.send(audio.subarray(at, at + frameBytes));
    }
    socket.send(JSON.stringify({ action: "flush" }));
  });
  const code = await closed;
  clearTimeout(timeout);
  if (code === 1_000 && !failed) result.outcome = "complete";
  return result;
}
