import { Readable } from "node:stream";
import type { Model, Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import { type Measurement, measureUnits, type UsedUnits } from "@tollgate/metering/measurement";
import {
  type FormTranscriptEvent,
  formTranscriptEvents,
} from "@tollgate/providers/openai/transcript-events";
import {
  postStreamedTranscription,
  type TranscriptionCall,
} from "@tollgate/providers/transcription";
import { writeWavHeader } from "@tollgate/providers/write-wav-header";
import type { Served } from "@tollgate/upstream/chain";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { billableSeconds, pcmBytesPerSecond } from "../durations.ts";
import { readTranscriptEvent } from "../streaming/transcript-event.ts";
import { TranscriptUsage } from "../streaming/transcript-usage.ts";
import { reportedSeconds } from "./file-usage.ts";
import type { PcmSamples } from "./pcm-samples.ts";
import { audioTokenRate, measureTranscript } from "./transcript-tokens.ts";
import { asTimedOut } from "./transcription-limit.ts";
import type { Upload } from "./upload.ts";

const sampleRate = 16_000;

/** A file whose transcript a provider streams after it was sent the whole of it, by OpenAI's form. */
export class FormStream {
  readonly #events: AsyncGenerator<FormTranscriptEvent>;
  readonly #slot: Slot;
  readonly #audioTokensPerSecond: number;
  readonly #sentSeconds: number;
  readonly #seconds = new TranscriptUsage({ derives: true });
  #usage: JsonObject | undefined;
  /** The seconds that the provider reports of the whole file. */
  #reported: number | undefined;
  #finals = "";
  #partial = "";
  #isBroken = false;

  /** `sentSeconds` is the length of the file. */
  constructor(
    events: AsyncGenerator<FormTranscriptEvent>,
    { slot, model, sentSeconds }: { slot: Slot; model: Model; sentSeconds: number },
  ) {
    this.#events = events;
    this.#slot = slot;
    this.#audioTokensPerSecond = audioTokenRate(model);
    this.#sentSeconds = sentSeconds;
  }

  /** Yields the events as they come, after "opened". The stream can be read on by `finish`. */
  async *chunks(): AsyncGenerator<TranscriptEvent | "opened"> {
    // A slot that sends no event has failed.
    const first = await this.#next();
    yield "opened";
    for (let event = first; event !== undefined; event = await this.#next()) yield event;
  }

  /**
   * Reads the rest, which nobody is sent: the provider transcribes the whole file, and reports what it used
   * at the end. Never rejects.
   */
  async finish(): Promise<void> {
    try {
      while ((await this.#next()) !== undefined);
    } catch {
      // What came before is billed.
    }
  }

  /**
   * Returns what is billed; undefined for a stream without an event. The seconds are those that the provider
   * reports, else the end of the last segment, at least the length of the file: segments leave silence out.
   */
  charge(): Served<Measurement> | undefined {
    const derived = this.#seconds.used({
      sentSeconds: this.#sentSeconds,
      isDrained: !this.#isBroken,
    });
    if (derived === undefined) return undefined;
    const { pricing } = this.#slot;
    const response =
      pricing.unitType === "tokens"
        ? this.#measuredTokens()
        : measureUnits({ ...(this.#own() ?? derived), providerUsage: this.#usage }, this.#slot);
    return { slot: this.#slot, response };
  }

  #own(): UsedUnits | undefined {
    if (this.#reported === undefined) return undefined;
    return { quantity: billableSeconds(this.#reported), basis: "provider" };
  }

  #measuredTokens(): Measurement {
    const transcript = { usage: this.#usage, text: this.#finals || this.#partial };
    return measureTranscript(transcript, this.#slot, this.#audioTokensPerSecond, {
      seconds: this.#reported ?? this.#sentSeconds,
      basis: this.#reported === undefined ? "pcm_bytes" : "provider",
    });
  }

  /** Returns undefined at the end. */
  async #next(): Promise<TranscriptEvent | undefined> {
    try {
      for (let next = await this.#events.next(); !next.done; next = await this.#events.next()) {
        const event = this.#read(next.value);
        if (event !== undefined) return event;
      }
    } catch (error) {
      this.#isBroken = true;
      throw asTimedOut(error);
    }
    return undefined;
  }

  #read(value: FormTranscriptEvent): TranscriptEvent | undefined {
    if (value.kind === "usage") {
      const { usage, duration } = value;
      this.#usage = usage;
      this.#reported = reportedSeconds({ usage, duration });
      return undefined;
    }
    const event = readTranscriptEvent(value.event);
    if (event === undefined) return undefined;
    // The provider's own duration is in its usage: that of a segment is the time between its start and end.
    const { type, text, start, end } = event;
    this.#seconds.add({ type, text, start, end }, this.#sentSeconds);
    if (event.type === "transcription.final") this.#finals += event.text;
    else this.#partial = event.text;
    return event;
  }
}

/** Sends the samples of an upload, as a WAV, to a slot that takes OpenAI's form. */
export async function openFormStream(
  providers: ProviderClient,
  slot: Slot,
  model: Model,
  { upload: { audio, language, options }, pcm }: { upload: Upload; pcm: PcmSamples },
  call: TranscriptionCall,
): Promise<FormStream> {
  const header = writeWavHeader(pcm.bytes, sampleRate);
  async function* contents() {
    yield header;
    yield* audio.read(pcm.offset, pcm.bytes);
  }
  const file = {
    language,
    options,
    contentType: "audio/wav",
    fileName: "audio.wav",
    bytes: header.length + pcm.bytes,
    read: () => Readable.from(contents(), { objectMode: false }),
  };
  const posted = postStreamedTranscription(providers, slot, file, call);
  const response = await posted.catch((error) => {
    throw asTimedOut(error);
  });
  const events = formTranscriptEvents(response, slot.provider.kind, call.signal);
  return new FormStream(events, { slot, model, sentSeconds: pcm.bytes / pcmBytesPerSecond });
}
