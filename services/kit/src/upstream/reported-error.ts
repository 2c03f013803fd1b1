import type { JsonObject } from "../json.ts";
import { SlotFailure } from "./failure.ts";

/** Raises a SlotFailure for an answer that reports an error, however well its status speaks. */
export function refuseReportedError({ error }: JsonObject): void {
  // Some providers say in every answer what its error is: null, false or nothing where there is none.
  if (!error) return;
  throw new SlotFailure("rejected", "the provider's answer reports an error");
}
