import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import { reportsError } from "@tollgate/upstream/reported-error";

/** A provider's completion, or a chunk of a streamed one. */
export type WithChoices = JsonObject & { choices: readonly JsonObject[] };

/**
 * Returns whether a value is a completion or a chunk. A value that reports an error is neither. Some
 * providers report one with status 200 beside choices: as `error`, of the response or of a choice,
 * or as the `finish_reason` "error".
 */
export function hasChoices(value: unknown): value is WithChoices {
  if (!isJsonObject(value) || reportsError(value) || !Array.isArray(value.choices)) return false;
  return value.choices.every(
    (choice) => isJsonObject(choice) && !reportsError(choice) && choice.finish_reason !== "error",
  );
}

/**
 * Returns a provider's complete response. Throws a SlotFailure for any other value, and for a
 * response without a choice.
 */
export function requireCompletion(value: unknown): WithChoices {
  if (!hasChoices(value)) {
    throw new SlotFailure("rejected", "the provider's response is not a chat completion");
  }
  if (value.choices.length > 0) return value;
  throw new SlotFailure("rejected", "the provider's response is empty");
}
