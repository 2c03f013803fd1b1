import type { Readable } from "node:stream";
import type { Slot } from "@tollgate/catalog/model";
import { highestCostOfUnits } from "@tollgate/generation/estimate";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import { type Measurement, measureUnits } from "@tollgate/metering/measurement";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { billableSeconds, pcmBytesPerSecond } from "../durations.ts";
import { type AudioProgress, readProviderEvents } from "../streaming/provider-events.ts";
import { connectProvider, type ProviderSocket } from "../streaming/provider-socket.ts";
import { withStreamSlots } from "../streaming/stream-slots.ts";
import { createTranscriptUsage, type TranscriptUsage } from "../streaming/transcript-usage.ts";
import { findPcmSamples } from "./pcm-samples.ts";
import type { Upload } from "./upload.ts";

/** How long a provider may send nothing after its last event before the transcript is complete. */
const idleMs = 3_000;

/** `opened`: the connection to the provider is open. This is the first chunk. */
type Chunk = TranscriptEvent | "opened";

/**
 * Transcribes a file over a WebSocket to the provider, and yields the events as they arrive. Bills
 * the seconds that the final events report, else the seconds of the audio. Also bills when the
 * client disconnects after the first event: then, where no event reports seconds, for the audio
 * that was sent. Throws `unsupported_audio_format` for audio that is not PCM, and `invalid_param`
 * where no slot of the alias takes streams.
 */
export async function* streamFile(
  { engine, providers }: ProviderRuntime,
  caller: Caller,
  upload: Upload,
  signal: AbortSignal,
): AsyncGenerator<Chunk> {
  const pcm = findPcmSamples(upload);
  const model = withStreamSlots(engine.resolve(upload.alias, "transcriptions", caller), "stream");
  const usage = createTranscriptUsage();
  const progress = { flushed: false, sentBytes: 0 };
  const measure = (bytes: number, slot: Slot): Measurement =>
    measureUnits(usage.reported() ?? { quantity: pcmSeconds(bytes), basis: "pcm_bytes" }, slot);
  const estimate = highestCostOfUnits(model, pcmSeconds(pcm.bytes));
  yield* engine.stream({ caller, model, estimate }, async function* (generation) {
    const { slot, response } = await generation.attemptStream(async (slot) => {
      const { timeoutMs } = slot.provider;
      const socket = await connectProvider(slot, providers, caller.requestId, signal);
      void sendAudio(socket, upload.audio.read(pcm.offset, pcm.bytes), progress);
      const events = readProviderEvents(socket, progress, { idleMs, timeoutMs });
      return { chunks: chunksOf(events, usage) };
    });
    generation.billPartial(() =>
      signal.aborted && usage.events() > 0
        ? { slot, response: measure(progress.sentBytes, slot) }
        : undefined,
    );
    yield* response.chunks;
    await generation.settle(slot, measure(pcm.bytes, slot));
  });
}

function pcmSeconds(bytes: number): bigint {
  return billableSeconds(bytes / pcmBytesPerSecond);
}

async function* chunksOf(
  events: AsyncIterable<TranscriptEvent>,
  usage: TranscriptUsage,
): AsyncGenerator<Chunk> {
  yield "opened";
  for await (const event of events) {
    usage.add(event);
    yield event;
  }
}

/** Never rejects: a connection that fails is reported where its events are read. */
async function sendAudio(
  socket: ProviderSocket,
  audio: Readable,
  progress: AudioProgress & { sentBytes: number },
): Promise<void> {
  try {
    for await (const chunk of audio as AsyncIterable<Buffer>) {
      if (!(await socket.send(chunk))) return;
      progress.sentBytes += chunk.length;
    }
    progress.flushed = await socket.endAudio();
  } catch {
    socket.close();
  }
}
