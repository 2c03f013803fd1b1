import type { Readable } from "node:stream";
import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ProviderRequest } from "@tollgate/upstream/provider-client";

/** A file to transcribe. */
export interface AudioUpload {
  /** As the provider names it; empty where the request names none. */
  language: string;
  contentType: string;
  /** With an ending that says what the file is, where that is known. */
  fileName: string;
  /** What OpenAI's form has besides, by its names. Other providers are not sent it. */
  options: TranscriptionOptions;
  bytes: number;
  read(): Readable;
}

/** The fields of OpenAI's form as the client sent them; empty where it did not. */
export interface TranscriptionOptions {
  prompt: string;
  responseFormat: string;
  temperature: string;
  timestampGranularities: readonly string[];
}

/** Translates the transcription of a file to the wire of one kind of provider. */
export interface TranscriptionAdapter {
  request(slot: Slot, upload: AudioUpload): Pick<ProviderRequest, "query" | "headers" | "body">;
  /**
   * Returns the response as the gateway describes it: see `Transcript`. Throws a SlotFailure for one that
   * has not the provider's form. Undefined where the provider's response is the gateway's.
   */
  response?(value: JsonObject): Transcript;
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
