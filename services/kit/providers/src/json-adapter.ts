import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";

/**
 * Translates the requests of a route that takes and returns JSON to the wire of one kind of provider,
 * and responses back.
 */
export interface JsonAdapter {
  /** Throws `invalid_param` for a member that the provider cannot be sent. */
  check?(slot: Slot, members: JsonObject): void;
  /** Returns the body for the provider. */
  request(slot: Slot, members: JsonObject): JsonObject;
  /**
   * Returns the response as a provider of the kind `openai` sends it. Throws a SlotFailure for one that
   * has not the provider's form.
   */
  response(value: JsonObject, members: JsonObject): JsonObject;
}
