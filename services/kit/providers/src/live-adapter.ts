import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";

/** Translates live transcription, over a WebSocket, to the wire of one kind of provider. */
export interface LiveAdapter {
  /** What the URL of the slot needs besides its own query. */
  query(slot: Slot): Record<string, string>;
  /** Returns the frame for some audio: 16-bit PCM, 16 kHz, mono. */
  audio(chunk: Uint8Array): Uint8Array | string;
  /** The frame after the last audio. */
  end: string;
  /** A frame that is sent again and again, so that the provider stays while nobody speaks. */
  keepAlive?: { frame: string; everyMs: number };
  /**
   * Returns an event of the provider as one of the gateway: `transcription.partial`,
   * `transcription.final` or `transcription.refine`; `error` for a failure. Undefined: to be ignored.
   * `hasEnded` says whether the provider was sent the end of the audio.
   */
  event(value: JsonObject, hasEnded: boolean): TranslatedLiveEvent | undefined;
}

/** `end`: after the end of the audio, the provider says that its transcript is complete. */
export type TranslatedLiveEvent = JsonObject | "end";
