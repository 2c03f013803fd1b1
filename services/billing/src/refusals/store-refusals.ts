import type { RecordRefusalsRequest } from "@tollgate/proto/tollgate/v1/billing";
import type pg from "pg";
import { recordRefusals } from "./record-refusals.ts";
import { countRefusals } from "./refusal-sums.ts";

/** Adds to the numbers of refused requests, and stores the records that are within the bounds. */
export async function storeRefusals(
  pool: pg.Pool,
  { refusals, records }: RecordRefusalsRequest,
): Promise<object> {
  await Promise.all([countRefusals(pool, refusals), recordRefusals(pool, records)]);
  return {};
}
