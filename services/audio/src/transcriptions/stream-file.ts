import type { Readable } from "node:stream";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { pcmBytesPerSecond } from "../durations.ts";
import { connectProvider } from "../streaming/provider-socket.ts";
import { withStreamSlots } from "../streaming/stream-slots.ts";
import { TranscribedStream } from "../streaming/transcribed-stream.ts";
import { estimateFile } from "./file-estimate.ts";
import { openFormStream } from "./form-stream.ts";
import { findPcmSamples } from "./pcm-samples.ts";
import { maxTranscriptionMs, startTranscriptionLimit } from "./transcription-limit.ts";
import type { Upload } from "./upload.ts";

/** How long a provider may send nothing after its last event before the transcript is complete. */
const idleMs = 3_000;

/** `opened`: the connection to the provider is open. This is the first chunk. */
type Chunk = TranscriptEvent | "opened";

/** What ends a streamed file early. */
export interface StreamEnd {
  /** Aborts when the client has left. */
  left: AbortSignal;
  /** Aborts when the gateway's grace period is over. What is still open then is not billed. */
  graceEnded: AbortSignal;
}

/**
 * Transcribes a file over a WebSocket to the provider, or by OpenAI's form, and yields the events as they
 * arrive. Whatever ends it, what it used is billed, but for the end of the gateway's grace period; see
 * `TranscriptUsage`. A provider that was sent a form is read to its end although the client leaves; no
 * other is called then, and the request is no longer in progress. Throws `unsupported_audio_format` for audio that
 * is not PCM, and `invalid_param` if no slot of the alias takes streams.
 */
export async function* streamFile(
  { engine, providers }: ProviderRuntime,
  caller: Caller,
  upload: Upload,
  { left, graceEnded }: StreamEnd,
): AsyncGenerator<Chunk> {
  const pcm = findPcmSamples(upload);
  const model = withStreamSlots(engine.resolve(upload.alias, "transcriptions", caller), "stream");
  const limit = startTranscriptionLimit();
  const signal = AbortSignal.any([limit.signal, graceEnded]);
  const held = estimateFile(model, pcm.bytes / pcmBytesPerSecond, "");
  const call = { requestId: caller.requestId, signal, defaultTimeoutMs: maxTranscriptionMs };
  try {
    yield* engine.stream({ caller, model, ...held }, async function* (generation) {
      left.addEventListener("abort", () => generation.callerLeft(), { once: true });
      const { response } = await generation.attemptStream(async (slot) => {
        // A form is read to its end although the client leaves, once a provider is called.
        left.throwIfAborted();
        if (slot.stream === undefined) {
          const form = await openFormStream(providers, slot, model, { upload, pcm }, call);
          return { transcript: form, chunks: form.chunks() };
        }
        const socket = await connectProvider(slot, providers, caller.requestId, left);
        const transcript = new TranscribedStream(socket, slot, idleMs);
        void sendAudio(transcript, upload.audio.read(pcm.offset, pcm.bytes));
        return { transcript, chunks: chunksOf(transcript, left) };
      });
      const { transcript, chunks } = response;
      generation.billPartial(async () => {
        await transcript.finish();
        return graceEnded.aborted ? undefined : transcript.charge();
      });
      yield* chunks;
      const charge = transcript.charge();
      if (charge !== undefined) await generation.settle(charge.slot, charge.response);
    });
  } finally {
    limit.stop();
  }
}

async function* chunksOf(transcript: TranscribedStream, left: AbortSignal): AsyncGenerator<Chunk> {
  const endEarly = () => transcript.endEarly();
  if (left.aborted) endEarly();
  left.addEventListener("abort", endEarly, { once: true });
  try {
    yield "opened";
    yield* transcript.events();
    left.throwIfAborted();
  } finally {
    left.removeEventListener("abort", endEarly);
    transcript.close();
  }
}

/** Never rejects: a connection that fails is reported where its events are read. */
async function sendAudio(transcript: TranscribedStream, audio: Readable): Promise<void> {
  try {
    for await (const chunk of audio as AsyncIterable<Buffer>) {
      if (!(await transcript.send(chunk))) return;
    }
    await transcript.flush();
  } catch {
    transcript.close();
  }
}
