import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderSocket } from "./provider-socket.ts";
import { isFailureEvent, readTranscriptEvent } from "./transcript-event.ts";

const lookEveryMs = 250;

/** What is known of the audio's way to the provider. */
export interface AudioProgress {
  /** Whether all of it was sent, and the flush after it. */
  flushed: boolean;
}

/** How long a provider may be silent once the audio is over. */
export interface Silence {
  /** Where it has said something: by then it has said it all. */
  idleMs: number;
  /** Where it has said nothing yet: by then it has failed. */
  timeoutMs: number;
}

/**
 * A provider's transcript events until it closes, or until it has been silent for a while after the
 * flush. Raises a SlotFailure when it breaks, reports a failure, says nothing at all, or closes
 * within the audio and without a word. The socket is closed in the end.
 */
export async function* drainEvents(
  socket: ProviderSocket,
  progress: AudioProgress,
  { idleMs, timeoutMs }: Silence,
): AsyncGenerator<TranscriptEvent> {
  let events = 0;
  let heardAt = performance.now();
  let isDelivering = false;
  let ended: "idle" | "late" | undefined;
  const watch = setInterval(() => {
    // The client's pace is no silence of the provider.
    if (!progress.flushed || isDelivering) {
      heardAt = performance.now();
      return;
    }
    const silentMs = performance.now() - heardAt;
    if (events > 0 && silentMs > Math.min(idleMs, timeoutMs)) ended = "idle";
    else if (silentMs > timeoutMs) ended = "late";
    if (ended !== undefined) socket.close();
  }, lookEveryMs);
  try {
    for await (const value of socket.events) {
      heardAt = performance.now();
      if (isFailureEvent(value)) {
        throw new SlotFailure("rejected", "the provider reports that it failed");
      }
      const event = readTranscriptEvent(value);
      if (event === undefined) continue;
      events += 1;
      isDelivering = true;
      yield event;
      isDelivering = false;
      heardAt = performance.now();
    }
    if (!progress.flushed && events === 0) {
      throw new SlotFailure("rejected", "the provider closed before the audio was over");
    }
  } catch (error) {
    if (ended === "idle") return;
    if (ended === "late") throw new SlotFailure("unreachable", "the provider took too long");
    throw error;
  } finally {
    clearInterval(watch);
    socket.close();
  }
}
