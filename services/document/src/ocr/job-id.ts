import type { JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";

const maxLength = 512;

/** Returns the id of the job that a provider created. Throws a SlotFailure where there is none. */
export function jobIdOf({ job_id: id }: JsonObject): string {
  if (Number.isSafeInteger(id)) return String(id);
  if (typeof id === "string" && canBeJobId(id)) return id;
  throw new SlotFailure("rejected", "the provider's response has no job id");
}

/** Returns whether a job can have this id. Postgres refuses a query with a NUL. */
export function canBeJobId(id: string): boolean {
  return id !== "" && id.length <= maxLength && !id.includes("\0");
}
