import type { Slot } from "@tollgate/catalog/model";
import { callerLeftError } from "@tollgate/core/cancellation";
import { GatewayError } from "@tollgate/core/errors";
import { repeat } from "@tollgate/core/repeat";
import type { Generation } from "@tollgate/generation/generation";
import type { Measurement } from "@tollgate/metering/measurement";
import type { Served } from "@tollgate/upstream/chain";
import { pcmBytesPerSecond } from "../durations.ts";
import type { ProviderSocket } from "../streaming/provider-socket.ts";
import { TranscribedStream } from "../streaming/transcribed-stream.ts";
import type { ClientFrame, ClientSocket } from "./client-socket.ts";
import { createGrowingHold, type GrowingHold } from "./growing-hold.ts";

/** The longest that one stream may last. */
const maxStreamMs = 6 * 60 * 60 * 1_000;
const checkEveryMs = 1_000;
/**
 * How long a provider may send nothing after its last event before the transcript is complete. A
 * provider closes by itself, but may take a while for its last events. The limit is below the time
 * for which clients wait for the close frame in return: 10 s in browsers.
 */
const idleMs = 8_000;

/** The stream of one live transcription between a client and a provider that are connected. */
export class LiveStream {
  readonly #client: ClientSocket;
  readonly #transcript: TranscribedStream;
  readonly #hold: GrowingHold;
  readonly #startedAt = performance.now();
  /** The billed time, which ends with the last event: the wait for another is not billed. */
  #usedSeconds: number | undefined;
  #hasEndedAudio = false;
  /** Why audio is no longer sent. The first failure counts. */
  #sendFailure: { error: unknown } | undefined;

  constructor(client: ClientSocket, provider: ProviderSocket, slot: Slot, generation: Generation) {
    this.#client = client;
    this.#transcript = new TranscribedStream(provider, slot, idleMs);
    this.#hold = createGrowingHold(generation, slot.pricing.input);
  }

  /**
   * Sends the client's audio to the provider, and the provider's events to the client. Resolves when
   * all events are sent. Throws the failure that ended the stream.
   */
  async run(frames: AsyncIterator<ClientFrame>): Promise<void> {
    const { disconnected } = this.#client;
    const checks = repeat(() => this.#checkLimits(), { everyMs: checkEveryMs });
    const endEarly = () => this.#transcript.endEarly();
    if (disconnected.aborted) endEarly();
    disconnected.addEventListener("abort", endEarly, { once: true });
    void this.#sendAudio(frames).catch((error) => this.#failSending(error));
    try {
      await this.#sendEvents();
      disconnected.throwIfAborted();
    } catch (error) {
      const failure = this.#sendFailure?.error ?? error;
      // The failure may be that of the provider's connection, which is closed once the client has left.
      if (disconnected.aborted && !(failure instanceof GatewayError)) throw callerLeftError();
      throw failure;
    } finally {
      void checks.stop();
      this.#client.endFrames();
    }
    if (this.#sendFailure !== undefined) throw this.#sendFailure.error;
  }

  /** Returns what is billed, or undefined where nothing is; see `TranscribedStream.charge`. */
  charge(): Served<Measurement> | undefined {
    return this.#transcript.charge(this.#usedSeconds ?? this.#elapsedSeconds());
  }

  /** Audio may be sent faster than it plays, so the hold covers both its length and the time. */
  async #sendAudio(frames: AsyncIterator<ClientFrame>): Promise<void> {
    let sentBytes = 0;
    for (let next = await frames.next(); !next.done; next = await frames.next()) {
      if (next.value.kind === "text") {
        if (isFlush(next.value.text)) break;
        throw new GatewayError("invalid_json", 'A text frame can only be {"action":"flush"}.');
      }
      sentBytes += next.value.audio.length;
      await this.#hold.cover(sentBytes / pcmBytesPerSecond);
      if (!(await this.#transcript.send(next.value.audio))) return this.#endAudio();
    }
    await this.#transcript.flush();
    this.#endAudio();
  }

  /** Also where the provider closes first: what it still takes to close is not billed. */
  #endAudio(): void {
    this.#hasEndedAudio = true;
    this.#usedSeconds = this.#elapsedSeconds();
  }

  async #sendEvents(): Promise<void> {
    for await (const event of this.#transcript.events()) {
      const isAwaited = this.#hasEndedAudio && !this.#transcript.hasEndedEarly;
      if (isAwaited) this.#usedSeconds = this.#elapsedSeconds();
      if (event.type !== "transcription.refine") await this.#client.sendJson(event);
    }
  }

  #checkLimits(): void {
    const seconds = this.#elapsedSeconds();
    if (seconds * 1_000 > maxStreamMs) this.#client.endFrames();
    if (this.#hasEndedAudio) return;
    this.#hold.cover(seconds).catch((error) => this.#failSending(error));
  }

  /** Ends the stream, which ends `#sendEvents`. */
  #failSending(error: unknown): void {
    this.#sendFailure ??= { error };
    this.#transcript.endEarly();
  }

  #elapsedSeconds(): number {
    return (performance.now() - this.#startedAt) / 1_000;
  }
}

function isFlush(text: string): boolean {
  try {
    return (JSON.parse(text) as { action?: unknown } | null)?.action === "flush";
  } catch {
    return false;
  }
}
