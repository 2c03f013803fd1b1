import type { Slot } from "@tollgate/catalog/model";
import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import { type Measurement, measureUnits } from "@tollgate/metering/measurement";
import type { Served } from "@tollgate/upstream/chain";
import { pcmBytesPerSecond } from "../durations.ts";
import { type AudioProgress, readProviderEvents } from "./provider-events.ts";
import type { ProviderSocket } from "./provider-socket.ts";
import { TranscriptUsage } from "./transcript-usage.ts";

/** How long a provider may take for its first event after a stream has ended early. */
const firstEventMs = 8_000;

/** The transcription of one stream of audio at a provider, and what it used. */
export class TranscribedStream {
  readonly #socket: ProviderSocket;
  readonly #slot: Slot;
  readonly #idleMs: number;
  readonly #usage: TranscriptUsage;
  readonly #progress: AudioProgress = { flushed: false, isDrained: false };
  #hasSent = false;
  #hasEndedEarly = false;

  /** The transcript is complete where the provider sends nothing for `idleMs` after its last event. */
  constructor(socket: ProviderSocket, slot: Slot, idleMs: number) {
    this.#socket = socket;
    this.#slot = slot;
    this.#idleMs = idleMs;
    this.#usage = new TranscriptUsage({ derives: slot.measuresUnreported === true });
  }

  /** Sends audio; see `ProviderSocket.send`. Audio after an early end is dropped. */
  async send(audio: Uint8Array): Promise<boolean> {
    if (this.#hasEndedEarly) return false;
    this.#hasSent = true;
    return this.#socket.send(audio);
  }

  /** Sends the provider the end of the audio. */
  async flush(): Promise<void> {
    if (!this.#hasEndedEarly) this.#progress.flushed = await this.#socket.endAudio();
  }

  /** Yields the provider's events; see `readProviderEvents`. */
  async *events(): AsyncGenerator<TranscriptEvent> {
    const limits = { idleMs: this.#idleMs, timeoutMs: this.#slot.provider.timeoutMs };
    for await (const event of readProviderEvents(this.#socket, this.#progress, limits)) {
      this.#usage.add(event, this.#sentSeconds());
      yield event;
      if (this.#hasEndedEarly) this.#socket.close();
    }
  }

  /**
   * Ends the stream before its transcript is complete: closes the connection, which ends `events`.
   * Where the provider was sent audio and has returned nothing, it is sent the flush first, and its
   * first event ends the stream: a client that leaves before it must not have the audio for free.
   */
  endEarly(): void {
    if (this.#hasEndedEarly) return;
    this.#hasEndedEarly = true;
    if (this.#usage.events > 0 || !this.#hasSent) {
      this.#socket.close();
      return;
    }
    setTimeout(() => this.#socket.close(), firstEventMs).unref();
    if (this.#progress.flushed) return;
    void this.#socket.endAudio().then((isSent) => {
      this.#progress.flushed = isSent;
    });
  }

  /** Resolves at once: unlike a `FormStream`, a transcript over a WebSocket is not read to its end. */
  async finish(): Promise<void> {}

  /** Closes the connection. */
  close(): void {
    this.#socket.close();
  }

  /** Whether `endEarly` was called. */
  get hasEndedEarly(): boolean {
    return this.#hasEndedEarly;
  }

  /**
   * Returns what is billed so far, or undefined; see `TranscriptUsage.used`. `clockSeconds` is how long
   * the stream has lasted: the fallback of a slot whose unreported usage is not measured.
   */
  charge(clockSeconds?: number): Served<Measurement> | undefined {
    const used = this.#usage.used({
      sentSeconds: this.#sentSeconds(),
      isDrained: this.#progress.isDrained,
      clockSeconds: this.#slot.measuresUnreported ? undefined : clockSeconds,
    });
    return used && { slot: this.#slot, response: measureUnits(used, this.#slot) };
  }

  #sentSeconds(): number {
    return this.#socket.sentBytes() / pcmBytesPerSecond;
  }
}
