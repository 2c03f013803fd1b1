import { createHash } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import type { RecordedCall } from "../call-log.ts";
import type { Commands } from "../commands.ts";
import type { LiveWire } from "./live-wires.ts";
import { createTranscriber, type LiveEvent } from "./transcriber.ts";

/**
 * Serves one live connection until it closes, as its commands specify. It does not wait between events
 * once `released` has aborted.
 */
export async function serveLive(
  socket: WebSocket,
  wire: LiveWire,
  recorded: RecordedCall,
  commands: Commands,
  released: AbortSignal,
): Promise<void> {
  const hash = createHash("sha256");
  const upload = { contentType: "", bytes: 0, sha256: "", lang: undefined };
  recorded.upload = upload;
  const transcriber = createTranscriber(commands);
  const send = sender(socket, wire, recorded, commands);
  let work: Promise<void> = Promise.resolve();
  const idle = closeWhenIdle(socket, recorded, commands);
  const doNext = (next: () => Promise<void>) => {
    work = work.then(next).catch(() => {});
  };
  socket.on("error", () => {});
  socket.on("message", (data: Buffer, isBinary) => {
    const audio = readFrame(wire, data, isBinary);
    if (audio === undefined) return;
    if (audio === "invalid") return socket.close(1_008);
    if (audio === "end") {
      const wait = (ms: number) => delay(ms, undefined, { signal: released }).catch(() => {});
      const rest = transcriber.flush();
      return doNext(() =>
        commands.nothing_left
          ? endEarly(socket, wire, recorded)
          : drain(socket, recorded, commands, rest, { send, wait }),
      );
    }
    idle.refresh();
    hash.update(audio);
    upload.bytes += audio.length;
    const events = transcriber.addAudio(audio.length);
    doNext(async () => {
      for (const event of events) await send(event);
    });
  });
  if (commands.others) sendOthers(socket, wire);
  if (commands.stall) socket.pause();
  if (commands.die_after === 0) doNext(() => send({ type: "transcription.partial", text: "" }));
  await once(socket, "close");
  idle.stop();
  upload.sha256 = hash.digest("hex");
  if (recorded.outcome === "open") recorded.outcome = "client_disconnected";
}

/** Sends what a client must ignore: messages without a meaning for it, and frames that are no JSON. */
function sendOthers(socket: WebSocket, { others = [] }: LiveWire): void {
  for (const other of others) socket.send(JSON.stringify(other));
  socket.send("ping");
  socket.send("[]");
  socket.send(Buffer.from([1, 2, 3]));
}

/** Says that nothing is left to transcribe. The connection stays open. */
async function endEarly(socket: WebSocket, wire: LiveWire, recorded: RecordedCall): Promise<void> {
  recorded.outcome = "completed";
  socket.send(JSON.stringify(wire.nothingLeft));
}

/** Closes the connection where no audio has come for the time of a command, as vendors do. */
function closeWhenIdle(socket: WebSocket, recorded: RecordedCall, { idle_ms: ms }: Commands) {
  if (ms === undefined) return { refresh() {}, stop() {} };
  const timer = setTimeout(() => {
    recorded.outcome = "ended_early";
    socket.close(1_000);
  }, ms);
  return { refresh: () => void timer.refresh(), stop: () => clearTimeout(timer) };
}

/** A frame that the vendor would not take is invalid. */
function readFrame(wire: LiveWire, data: Buffer, isBinary: boolean) {
  try {
    return wire.read(data, isBinary);
  } catch {
    return "invalid";
  }
}

/** Returns a function that sends an event, or does what a command specifies instead. */
function sender(socket: WebSocket, wire: LiveWire, recorded: RecordedCall, commands: Commands) {
  const { die_after, fail_after, close_after, mute } = commands;
  return async (event: LiveEvent): Promise<void> => {
    if (socket.readyState !== WebSocket.OPEN || mute) return;
    if (recorded.chunksSent === die_after) {
      recorded.outcome = "cut";
      socket.terminate();
    } else if (recorded.chunksSent === fail_after) {
      recorded.outcome = "error_event";
      socket.send(JSON.stringify(wire.failure));
      socket.close(1_011);
    } else if (recorded.chunksSent === close_after) {
      recorded.outcome = "ended_early";
      socket.close(1_000);
    } else {
      recorded.chunksSent += 1;
      const text = JSON.stringify(wire.write(event));
      await new Promise<void>((resolve) => socket.send(text, () => resolve()));
    }
  };
}

async function drain(
  socket: WebSocket,
  recorded: RecordedCall,
  { drain_ms, no_close }: Commands,
  events: readonly LiveEvent[],
  { send, wait }: { send(event: LiveEvent): Promise<void>; wait(ms: number): Promise<void> },
): Promise<void> {
  for (const event of events) {
    if (drain_ms) await wait(drain_ms);
    await send(event);
  }
  if (socket.readyState !== WebSocket.OPEN) return;
  recorded.outcome = "completed";
  if (!no_close) socket.close(1_000);
}
