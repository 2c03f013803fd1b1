import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import { reportsError } from "@tollgate/upstream/reported-error";

/** A provider's answer, or a chunk of it. */
export type WithChoices = JsonObject & { choices: readonly JsonObject[] };

/**
 * Whether it is an answer, or a chunk of one. Not what reports an error, which some do under status
 * 200, with choices beside it: `error`, of the whole or of a choice, or a `finish_reason` of that
 * name.
 */
export function hasChoices(value: unknown): value is WithChoices {
  if (!isJsonObject(value) || reportsError(value) || !Array.isArray(value.choices)) return false;
  return value.choices.every(
    (choice) => isJsonObject(choice) && !reportsError(choice) && choice.finish_reason !== "error",
  );
}

/**
 * A provider's whole answer. Raises a SlotFailure for anything else, also for one without a choice.
 */
export function requireCompletion(value: unknown): WithChoices {
  if (!hasChoices(value)) {
    throw new SlotFailure("rejected", "the provider's answer is no chat completion");
  }
  if (value.choices.length > 0) return value;
  throw new SlotFailure("rejected", "the provider's answer is empty");
}
