import type { Readable } from "node:stream";
import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ProviderRequest } from "@tollgate/upstream/provider-client";

/** A file to transcribe. */
export interface AudioUpload {
  /** As the provider names it; empty where the request names none. */
  language: string;
  contentType: string;
  bytes: number;
  read(): Readable;
}

/** Translates the transcription of a file to the wire of one kind of provider. */
export interface TranscriptionAdapter {
  request(slot: Slot, upload: AudioUpload): Pick<ProviderRequest, "query" | "headers" | "body">;
  /**
   * Returns the response as the gateway describes it: see `Transcript`. Throws a SlotFailure for one that
   * has not the provider's form.
   */
  response(value: JsonObject): Transcript;
}

/** What an adapter makes of a response. */
export interface Transcript extends JsonObject {
  text: string;
  /** As the provider names it, where it says which it heard. */
  language?: string;
  /** Seconds of the audio. */
  duration?: number;
  /** What one speaker says without another in between. */
  segments: readonly Segment[];
  words: readonly Word[];
}

/** Times are seconds from the start of the audio. */
export interface Word {
  word: string;
  start: number;
  end: number;
  speaker?: string;
}

export interface Segment {
  text: string;
  start: number;
  end: number;
  speaker?: string;
}
