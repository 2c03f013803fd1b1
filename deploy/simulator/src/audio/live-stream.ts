import { createHash } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import type { Commands } from "../commands.ts";
import type { JournalEntry } from "../journal.ts";
import { createTranscriber } from "./transcriber.ts";

/** Serves one live connection to its end, as its commands say. */
export async function serveLive(
  socket: WebSocket,
  entry: JournalEntry,
  commands: Commands,
): Promise<void> {
  const hash = createHash("sha256");
  const upload = { contentType: "", bytes: 0, sha256: "", lang: undefined };
  entry.upload = upload;
  const transcriber = createTranscriber(commands);
  const send = sender(socket, entry, commands);
  let work: Promise<void> = Promise.resolve();
  const doNext = (next: () => Promise<void>) => {
    work = work.then(next).catch(() => {});
  };
  socket.on("error", () => {});
  socket.on("message", (data: Buffer, isBinary) => {
    if (!isBinary) return doNext(() => drain(socket, entry, commands, transcriber.flush(), send));
    hash.update(data);
    upload.bytes += data.length;
    const events = transcriber.hear(data.length);
    doNext(async () => {
      for (const event of events) await send(event);
    });
  });
  if (commands.stall) socket.pause();
  if (commands.die_after === 0) doNext(() => send({}));
  await once(socket, "close");
  upload.sha256 = hash.digest("hex");
  if (entry.outcome === "open") entry.outcome = "client_left";
}

/** Sends an event, or does what was commanded in its place. */
function sender(socket: WebSocket, entry: JournalEntry, commands: Commands) {
  const { die_after, fail_after, close_after, mute } = commands;
  return async (event: object): Promise<void> => {
    if (socket.readyState !== WebSocket.OPEN || mute) return;
    if (entry.chunksSent === die_after) {
      entry.outcome = "cut";
      socket.terminate();
    } else if (entry.chunksSent === fail_after) {
      entry.outcome = "error_event";
      socket.send(JSON.stringify({ error: { message: "the simulator was told to fail" } }));
      socket.close(1_011);
    } else if (entry.chunksSent === close_after) {
      entry.outcome = "ended_early";
      socket.close(1_000);
    } else {
      entry.chunksSent += 1;
      await new Promise<void>((resolve) => socket.send(JSON.stringify(event), () => resolve()));
    }
  };
}

async function drain(
  socket: WebSocket,
  entry: JournalEntry,
  { drain_ms, no_close }: Commands,
  events: readonly object[],
  send: (event: object) => Promise<void>,
): Promise<void> {
  for (const event of events) {
    if (drain_ms) await delay(drain_ms);
    await send(event);
  }
  if (socket.readyState !== WebSocket.OPEN) return;
  entry.outcome = "completed";
  if (!no_close) socket.close(1_000);
}
