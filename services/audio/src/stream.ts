import type { Readable } from "node:stream";
import type { Model, Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import { dearestCostOfUnits } from "@tollgate/generation/pipeline";
import type { Modality } from "@tollgate/generation/provider-runtime";
import { type StreamedOrder, streamAnswer } from "@tollgate/generation/streamed-response";
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

/** What a provider is told when all audio was sent. */
export const flushMarker = JSON.stringify({ action: "flush" });

/** A silence of the provider, behind its events, by which the stream has ended. */
const idleMs = 3_000;

type Part = TranscriptEvent | "opened";

/**
 * Transcribes an upload through its alias's live connection: `opened` once that stands, then the
 * events. Bills the seconds of the finals, else those of the uploaded audio. Raises
 * `unsupported_audio_format` for what is no PCM, and `invalid_param` where the alias has no live
 * connection.
 */
export async function* streamTranscription(
  { pipeline, providers }: Modality,
  caller: Caller,
  upload: Upload,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const pcm = pcmOf(upload);
  const model = streamingModel(pipeline.resolve(upload.alias, "transcriptions"), "stream");
  const tally = createTally();
  const progress = { flushed: false, sentBytes: 0 };
  const used = (bytes: number, slot: Slot): Measurement =>
    measureUnits(tally.finals() ?? { quantity: pcmSeconds(bytes), basis: "pcm_bytes" }, slot);
  const order: StreamedOrder<Part> = {
    caller,
    model,
    estimate: dearestCostOfUnits(model, pcmSeconds(pcm.bytes)),
    async open(slot) {
      const { timeoutMs } = slot.provider;
      const socket = await connectProvider(slot, providers, caller.requestId, signal);
      void sendAll(socket, upload.audio.read(pcm.offset, pcm.bytes), progress);
      return countedEvents(drainEvents(socket, progress, { idleMs, timeoutMs }), tally);
    },
    measure: (slot) => used(pcm.bytes, slot),
    measureLeft: (slot) => (tally.events === 0 ? undefined : used(progress.sentBytes, slot)),
  };
  yield* streamAnswer(pipeline, order, signal);
}

function pcmSeconds(bytes: number): bigint {
  return secondsIn(bytes / pcmBytesPerSecond);
}

/** The model with the slots alone that take live audio. `param` is blamed where there is none. */
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

/** A provider that breaks meanwhile is told of by its events. */
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
