import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type {
  PostCall,
  ProviderClient,
  ProviderResponse,
} from "@tollgate/upstream/provider-client";

/** Translates chat requests to the wire of one kind of provider, and responses back. */
export interface ChatAdapter {
  /** Throws a GatewayError that names the first member which the slot cannot be sent. */
  check(slot: Slot, request: JsonObject): Promise<void>;
  /**
   * Sends a chat completion request. Resolves with the response as a provider of the kind `openai`
   * sends it: a completion, or a stream of chunks. The usage block is the provider's own. Throws
   * what `ProviderClient.post` throws.
   */
  post(
    providers: ProviderClient,
    slot: Slot,
    request: JsonObject,
    call: PostCall,
  ): Promise<ProviderResponse>;
}
