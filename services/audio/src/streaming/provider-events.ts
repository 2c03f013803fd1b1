import { repeat } from "@tollgate/core/repeat";
import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderSocket } from "./provider-socket.ts";
import { isFailureEvent, readTranscriptEvent } from "./transcript-event.ts";

const checkEveryMs = 250;
/**
 * How long a provider may send nothing once it has said that its transcript is complete: its last finals
 * may follow.
 */
const endedIdleMs = 500;

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
 * `idleMs` after the flush. Where it says that its transcript is complete, it is, whatever follows: the
 * last finals may still come in the moment after. Throws a SlotFailure when the connection breaks, when
 * the provider reports a failure or sends nothing for `timeoutMs` after the flush, and when it closes
 * before the flush without an event. Sets whether the audio was drained. Closes the socket at the end.
 */
export async function* readProviderEvents(
  socket: ProviderSocket,
  progress: AudioProgress,
  limits: SilenceLimits,
): AsyncGenerator<TranscriptEvent> {
  const silence = new ProviderSilence(progress, limits);
  const check = () => {
    if (silence.end() !== undefined) socket.close();
  };
  const checks = repeat(check, { everyMs: checkEveryMs });
  try {
    for await (const value of socket.events) {
      silence.restart();
      if (value === "end") {
        silence.hasEnded = true;
        continue;
      }
      if (isFailureEvent(value)) {
        throw new SlotFailure("rejected", "the provider reports that it failed");
      }
      const event = readTranscriptEvent(value);
      if (event === undefined) continue;
      silence.beginDelivery();
      yield event;
      silence.endDelivery();
    }
    // The socket that `check` closes fails: the provider has closed this one.
    progress.isDrained = progress.flushed;
    if (!progress.flushed && silence.events === 0) {
      const message = "the provider closed the connection before the audio ended";
      throw new SlotFailure("rejected", message);
    }
  } catch (error) {
    if (silence.hasEnded) progress.isDrained = true;
    else silence.throwUnlessComplete(error);
  } finally {
    void checks.stop();
    socket.close();
  }
}

/** The time for which a provider has sent nothing after the audio has ended. */
class ProviderSilence {
  readonly #progress: AudioProgress;
  readonly #limits: SilenceLimits;
  #since = performance.now();
  #isDelivering = false;
  #end: "complete" | "failed" | undefined;
  /** The events that were delivered. */
  events = 0;
  /** Whether the provider has said that its transcript is complete. */
  hasEnded = false;

  constructor(progress: AudioProgress, limits: SilenceLimits) {
    this.#progress = progress;
    this.#limits = limits;
  }

  /** Starts the time anew. */
  restart(): void {
    this.#since = performance.now();
  }

  /** The time that the client takes to read an event is not silence of the provider. */
  beginDelivery(): void {
    this.events += 1;
    this.#isDelivering = true;
  }

  endDelivery(): void {
    this.#isDelivering = false;
    this.restart();
  }

  /** Returns how the silence ends the stream; undefined where it may go on. */
  end(): "complete" | "failed" | undefined {
    if (!this.#progress.flushed || this.#isDelivering) this.restart();
    this.#end ??= this.#endAfter(performance.now() - this.#since);
    return this.#end;
  }

  /** Throws the failure of the stream, unless it is the end of a complete transcript. */
  throwUnlessComplete(error: unknown): void {
    if (this.#end === "failed") throw new SlotFailure("unreachable", "the provider took too long");
    if (this.#end === undefined) throw error;
  }

  #endAfter(silentMs: number): "complete" | "failed" | undefined {
    const { idleMs, timeoutMs } = this.#limits;
    if (this.hasEnded && silentMs > endedIdleMs) return "complete";
    if (this.events > 0 && silentMs > Math.min(idleMs, timeoutMs)) return "complete";
    return silentMs > timeoutMs ? "failed" : undefined;
  }
}
