import type { Slot, SpeechFormat } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ProviderResponse } from "@tollgate/upstream/provider-response";

/** The members of a speech request, besides its model. The edge has validated them. */
export interface SpeechMembers {
  input: string;
  voice: string;
  response_format?: SpeechFormat;
  /** 0.25 to 4. */
  speed?: number;
}

/** A request to a provider of another kind. */
export interface SpeechRequest {
  path: string;
  query: Record<string, string>;
  body: JsonObject;
}

/** Translates speech requests to the wire of one kind of provider. Its audio is sent as it arrives. */
export interface SpeechAdapter {
  /** Returns the request. Throws `invalid_param` for what the provider cannot be sent. */
  request(slot: Slot, members: SpeechMembers): SpeechRequest;
  /** Returns the audio of a response, where the response is not the audio itself. */
  response?(
    response: ProviderResponse,
    members: SpeechMembers,
    signal: AbortSignal,
  ): Promise<ProviderResponse>;
  /** The path of the provider's list of voices, or the list of a provider that has none. */
  voices: string | JsonObject;
  /** Returns a voice that a model has in every account. */
  usualVoice(slot: Slot): string;
}
