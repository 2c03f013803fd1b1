import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { PostCall, ProviderClient } from "@tollgate/upstream/provider-client";

/**
 * Translates chat requests to the wire of one kind of provider, and responses back. Requests and
 * responses are values: those of a chat completion, with the provider's own usage block.
 */
export interface ChatAdapter {
  /** Throws a GatewayError that names the first member which the slot cannot be sent. */
  check(slot: Slot, request: JsonObject): void;
  /** Sends a request. Resolves with the completion. Throws what `ProviderClient.post` throws. */
  complete(
    providers: ProviderClient,
    slot: Slot,
    request: JsonObject,
    call: AdaptedCall,
  ): Promise<JsonObject>;
  /**
   * Sends a request. Resolves with the chunks of the completion once the provider responds. The last
   * chunk has the usage; a stream that the provider does not finish ends without it. Ending the
   * iteration early closes the connection. Throws what `ProviderClient.post` throws, the iteration, too.
   */
  stream(
    providers: ProviderClient,
    slot: Slot,
    request: JsonObject,
    call: AdaptedCall,
  ): Promise<AdaptedChunks>;
}

/** The chunks that an adapter makes of a provider's stream. */
export interface AdaptedChunks extends AsyncIterable<JsonObject> {
  /** See `ProviderBody.stopReceiving`. Undefined: they are complete. */
  stopReceiving?(): void;
}

export type AdaptedCall = Pick<PostCall, "requestId" | "signal">;
