import type { JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";

const maxLength = 512;

/** The job that a provider says it has made, as text. Raises a SlotFailure where it names none. */
export function jobIdOf({ job_id: id }: JsonObject): string {
  if (Number.isSafeInteger(id)) return String(id);
  if (typeof id === "string" && canBeJobId(id)) return id;
  throw new SlotFailure("rejected", "the provider's answer names no job");
}

/** What no provider's job is called, the database could not even be asked for. */
export function canBeJobId(id: string): boolean {
  return id !== "" && id.length <= maxLength && !id.includes("\0");
}
