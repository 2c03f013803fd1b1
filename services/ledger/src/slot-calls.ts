import type pg from "pg";

/** Of how many requests the calls are, so that reading them takes some 50 ms at the most. */
const sampled = 5_000;
const maxErrors = 10;

interface SlotRow {
  slot_id: string;
  served: number;
  failed: number;
  p50: number | null;
  p99: number | null;
  errors: { code: string; calls: number }[] | null;
}

/** Resolves with the calls of each slot by the newest requests of the last 24 hours; see SlotCalls. */
export async function readSlotCalls(pool: pg.Pool) {
  const { rows } = await pool.query<SlotRow>({ name: "read-slot-calls", text: sql });
  return new Map(rows.map((row) => [row.slot_id, toCalls(row)]));
}

function toCalls({ served, failed, p50, p99, errors }: SlotRow) {
  return {
    served: BigInt(served),
    failed: BigInt(failed),
    ...(p50 === null ? {} : { durationP50Ms: p50 }),
    ...(p99 === null ? {} : { durationP99Ms: p99 }),
    errors: (errors ?? []).map(({ code, calls }) => ({ code, calls: BigInt(calls) })),
  };
}

const served = "FILTER (WHERE code = '')";

const sql = `
  WITH newest AS MATERIALIZED (
    SELECT trail FROM request_trail WHERE recorded_at >= now() - interval '24 hours'
    ORDER BY entry_id DESC LIMIT ${sampled}
  ), attempt AS MATERIALIZED (
    SELECT (a ->> 0) || '/' || (a ->> 1) AS slot_id, a ->> 4 AS code, (a ->> 3)::int AS ms
    FROM newest, json_array_elements(trail -> 0) AS a
  ), error AS (
    SELECT slot_id, code, count(*) AS calls,
      row_number() OVER (PARTITION BY slot_id ORDER BY count(*) DESC, code) AS place
    FROM attempt WHERE code <> '' GROUP BY slot_id, code
  )
  SELECT slot_id, count(*) ${served}::int AS served, count(*) FILTER (WHERE code <> '')::int AS failed,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY ms) ${served} AS p50,
    percentile_disc(0.99) WITHIN GROUP (ORDER BY ms) ${served} AS p99,
    (SELECT json_agg(json_build_object('code', code, 'calls', calls) ORDER BY place) FROM error e
      WHERE e.slot_id = attempt.slot_id AND place <= ${maxErrors}) AS errors
  FROM attempt GROUP BY slot_id`;
