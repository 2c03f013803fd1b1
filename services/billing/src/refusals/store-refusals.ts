import { timestampDate } from "@bufbuild/protobuf/wkt";
import { invalidParam } from "@tollgate/core/errors";
import type { RequestRefusal } from "@tollgate/proto/tollgate/v1/refusal";
import type pg from "pg";

const maxRecords = 1_000;
/** A number that no other user of the database locks. Replicas take turns, so that the bounds hold. */
const advisoryLock = 7_464_108_430n;
/** How many records of a minute are stored: of all requests, and of one account or without a known key. */
const maxInMinute = 300;
const maxOfAccount = 60;

/**
 * Stores records of refused requests: at most 300 in a minute, and 60 of one account, or of requests
 * without a known key. The others are dropped: they are counted.
 */
export async function storeRefusals(
  pool: pg.Pool,
  records: readonly RequestRefusal[],
): Promise<void> {
  if (records.length === 0) return;
  if (records.length > maxRecords) throw invalidParam("records", `must be at most ${maxRecords}`);
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock($1)", [advisoryLock]);
    await client.query({
      name: "store-refusals",
      text: storeSql,
      values: [JSON.stringify(records.map(toRow)), maxOfAccount, maxInMinute],
    });
    await client.query("COMMIT");
    client.release();
  } catch (error) {
    // Closing the connection ends the transaction.
    client.release(true);
    throw error;
  }
}

const columns = `request_id text, refused_at timestamptz, status integer, code text, message text,
  param text, method text, route text, alias text, account_id text, key_id text, shown_key text,
  client_address text, user_agent text, client_request_id text`;

const names = columns
  .split(",")
  .map((column) => column.trim().split(" ")[0])
  .join(", ");

const storeSql = `
  WITH stored AS MATERIALIZED (
    SELECT account_id FROM refusal WHERE recorded_at >= date_trunc('minute', now())
  ), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY request_id)
      + (SELECT count(*) FROM stored WHERE stored.account_id = record.account_id) AS of_account
    FROM json_to_recordset($1::json) AS record (${columns})
  ), kept AS (
    SELECT *, row_number() OVER (ORDER BY request_id) + (SELECT count(*) FROM stored) AS of_all
    FROM ranked WHERE of_account <= $2
  )
  INSERT INTO refusal (${names}) SELECT ${names} FROM kept WHERE of_all <= $3
  ON CONFLICT DO NOTHING`;

function toRow(record: RequestRefusal) {
  const refusedAt = record.refusedAt === undefined ? new Date() : timestampDate(record.refusedAt);
  return {
    request_id: record.requestId,
    refused_at: refusedAt.toISOString(),
    status: record.status,
    code: record.code,
    message: record.message,
    param: record.param,
    method: record.method,
    route: record.route,
    alias: record.alias,
    account_id: record.accountId,
    key_id: record.keyId,
    shown_key: record.shownKey,
    client_address: record.clientAddress,
    user_agent: record.userAgent,
    client_request_id: record.clientRequestId,
  };
}
