import type { Readable } from "node:stream";
import type { Model, Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import { dearestCostOfUnits } from "@tollgate/generation/estimate";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import { type Measurement, measureUnits } from "@tollgate/metering/measurement";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { type AudioProgress, drainEvents } from "./drained-events.ts";
import { pcmOf } from "./pcm.ts";
import { connectProvider, type ProviderSocket } from "./provider-socket.ts";
import { secondsIn } from "./seconds.ts";
import { createTally } from "./tally.ts";
import type { Upload } from "./upload.ts";
import { pcmBytesPerSecond } from "./wav.ts";

/** Sent to a provider after the last audio. */
export const flushMarker = JSON.stringify({ action: "flush" });

/** How long a provider may be silent after its events before the stream counts as ended. */
const idleMs = 3_000;

type Part = TranscriptEvent | "opened";

/**
 * Transcribes an upload through its alias's live connection. Yields `opened` once the connection is
 * open, then the events. Bills the seconds of the final events, else those of the uploaded audio.
 * Throws `unsupported_audio_format` for audio that is not PCM, and `invalid_param` where the alias
 * has no live connection.
 */
export async function* streamTranscription(
  { engine, providers }: ProviderRuntime,
  caller: Caller,
  upload: Upload,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const pcm = pcmOf(upload);
  const model = streamingModel(engine.resolve(upload.alias, "transcriptions"), "stream");
  const tally = createTally();
  const progress = { flushed: false, sentBytes: 0 };
  const used = (bytes: number, slot: Slot): Measurement =>
    measureUnits(tally.finals() ?? { quantity: pcmSeconds(bytes), basis: "pcm_bytes" }, slot);
  const estimate = dearestCostOfUnits(model, pcmSeconds(pcm.bytes));
  yield* engine.stream({ caller, model, estimate }, async function* (generation) {
    const { slot, response } = await generation.attemptStream(async (slot) => {
      const { timeoutMs } = slot.provider;
      const socket = await connectProvider(slot, providers, caller.requestId, signal);
      void sendAll(socket, upload.audio.read(pcm.offset, pcm.bytes), progress);
      const chunks = countedEvents(drainEvents(socket, progress, { idleMs, timeoutMs }), tally);
      return { chunks };
    });
    generation.billPartial(() =>
      signal.aborted && tally.events > 0
        ? { slot, response: used(progress.sentBytes, slot) }
        : undefined,
    );
    yield* response.chunks;
    await generation.settle(slot, used(pcm.bytes, slot));
  });
}

function pcmSeconds(bytes: number): bigint {
  return secondsIn(bytes / pcmBytesPerSecond);
}

/** Returns the model with only those slots that take live audio. Throws `invalid_param` for `param`. */
export function streamingModel(model: Model, param: string): Model {
  const chain = model.chain.filter(({ stream }) => stream !== undefined);
  if (chain.length > 0) return { ...model, chain };
  const message = `${model.alias} transcribes whole files only.`;
  throw new GatewayError("invalid_param", message, { param });
}

async function* countedEvents(
  events: AsyncIterable<TranscriptEvent>,
  tally: ReturnType<typeof createTally>,
): AsyncGenerator<Part> {
  yield "opened";
  for await (const event of events) {
    tally.add(event);
    yield event;
  }
}

/** Where the provider breaks off meanwhile, reading its events reports that. */
async function sendAll(
  socket: ProviderSocket,
  audio: Readable,
  progress: AudioProgress & { sentBytes: number },
): Promise<void> {
  try {
    for await (const chunk of audio as AsyncIterable<Buffer>) {
      await socket.send(chunk);
      progress.sentBytes += chunk.length;
    }
    await socket.send(flushMarker);
    progress.flushed = true;
  } catch {
    socket.close();
  }
}
