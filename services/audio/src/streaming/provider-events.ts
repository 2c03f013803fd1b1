import { repeat } from "@tollgate/core/repeat";
import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderSocket } from "./provider-socket.ts";
import { isFailureEvent, readTranscriptEvent } from "./transcript-event.ts";

const checkEveryMs = 250;

/** How much of the audio the provider has been sent. */
export interface AudioProgress {
  /** Whether all audio was sent, and the flush message after it. */
  flushed: boolean;
  /** Whether the provider has then closed by itself. */
  isDrained: boolean;
}

/** How long a provider may send nothing after the audio has ended. */
export interface SilenceLimits {
  /** After its first event: the transcript is then complete. */
  idleMs: number;
  /** Before its first event: the provider has then failed. It also limits `idleMs`. */
  timeoutMs: number;
}

/**
 * Yields the provider's transcript events until it closes the socket, or has sent nothing for
 * `idleMs` after the flush. Throws a SlotFailure when the connection breaks, when the provider
 * reports a failure or sends nothing for `timeoutMs` after the flush, and when it closes before the
 * flush without an event. Sets whether the audio was drained. Closes the socket at the end.
 */
export async function* readProviderEvents(
  socket: ProviderSocket,
  progress: AudioProgress,
  { idleMs, timeoutMs }: SilenceLimits,
): AsyncGenerator<TranscriptEvent> {
  let events = 0;
  let silentSince = performance.now();
  let isDelivering = false;
  let ended: "complete" | "failed" | undefined;
  const check = () => {
    // The time that the client takes to read an event is not silence of the provider.
    if (!progress.flushed || isDelivering) {
      silentSince = performance.now();
      return;
    }
    const silentMs = performance.now() - silentSince;
    if (events > 0 && silentMs > Math.min(idleMs, timeoutMs)) ended = "complete";
    else if (silentMs > timeoutMs) ended = "failed";
    if (ended !== undefined) socket.close();
  };
  const checks = repeat(check, { everyMs: checkEveryMs });
  try {
    for await (const value of socket.events) {
      silentSince = performance.now();
      if (isFailureEvent(value)) {
        throw new SlotFailure("rejected", "the provider reports that it failed");
      }
      const event = readTranscriptEvent(value);
      if (event === undefined) continue;
      events += 1;
      isDelivering = true;
      yield event;
      isDelivering = false;
      silentSince = performance.now();
    }
    // The socket that `check` closes fails: the provider has closed this one.
    progress.isDrained = progress.flushed;
    if (!progress.flushed && events === 0) {
      throw new SlotFailure(
        "rejected",
        "the provider closed the connection before the audio ended",
      );
    }
  } catch (error) {
    if (ended === "complete") return;
    if (ended === "failed") throw new SlotFailure("unreachable", "the provider took too long");
    throw error;
  } finally {
    void checks.stop();
    socket.close();
  }
}
