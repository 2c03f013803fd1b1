import type { RecordRefusalsRequest } from "@tollgate/proto/tollgate/v1/billing";
import type pg from "pg";
import { countRefusals } from "./refusal-sums.ts";
import { storeRefusals } from "./store-refusals.ts";

/** Adds to the numbers of refused requests, and stores the records that are within the bounds. */
export async function recordRefusals(
  pool: pg.Pool,
  { refusals, records }: RecordRefusalsRequest,
): Promise<object> {
  await Promise.all([countRefusals(pool, refusals), storeRefusals(pool, records)]);
  return {};
}
