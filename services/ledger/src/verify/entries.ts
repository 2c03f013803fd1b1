import { check, isUndefinedTable, lineLimit, type VerificationRun } from "./verification-run.ts";

const pageBytes = 8_192;
/** About 8 MB, some 20,000 entries. */
const pagesPerSlice = 1_000;

/**
 * Checks each entry by itself: that it is the entry of its event, charge id or reference, that the
 * charge id that it repeats exists, that its lines add up to its cost, and that it is linked to no conversation that was deleted more
 * than an hour ago. Resolves with the number of entries. Tables are read by their pages, which needs
 * no index.
 */
export async function verifyEntries(run: VerificationRun): Promise<bigint> {
  let entries = 0n;
  for (const table of run.months.tables) {
    try {
      entries += await verifyTable(run, table);
    } catch (error) {
      // The month was detached and dropped.
      if (!isUndefinedTable(error)) throw error;
    }
  }
  return entries;
}

async function verifyTable(run: VerificationRun, table: string): Promise<bigint> {
  const { pool } = run;
  const size = "SELECT pg_relation_size($1::regclass)::bigint AS bytes";
  const { rows } = await pool.query<{ bytes: bigint }>(size, [table]);
  const pages = Number(rows[0]?.bytes ?? 0n) / pageBytes;
  let entries = 0n;
  for (let page = 0; page < pages; page += pagesPerSlice) {
    const values = [`(${page},0)`, `(${page + pagesPerSlice},0)`];
    const slice = `${table} WHERE ctid >= $1::tid AND ctid < $2::tid`;
    const count = `SELECT count(*) AS entries FROM ${slice}`;
    entries += (await pool.query<{ entries: bigint }>(count, values)).rows[0]?.entries ?? 0n;
    const text = entriesSql(slice);
    await check<{ id: string; fault: string }>(
      run,
      () => ({ text, values }),
      ({ id, fault }) => `entry ${id}: ${fault}`,
    );
  }
  return entries;
}

/** Looks rows up by key, in LATERAL … LIMIT 1, which no plan turns into a scan. */
function entriesSql(slice: string): string {
  return `
    SELECT id, fault FROM (SELECT * FROM ${slice}) AS e
    LEFT JOIN LATERAL (
      SELECT entry_id FROM recorded_event r WHERE r.event_id = e.event_id LIMIT 1
    ) event ON true
    LEFT JOIN LATERAL (
      SELECT entry_id, charged_nano_usd FROM charge c WHERE c.charge_id = e.charge_id LIMIT 1
    ) charged ON true
    LEFT JOIN LATERAL (
      SELECT charge_id FROM charge c WHERE c.charge_id = e.reference AND e.kind IN ('usage', 'failure') LIMIT 1
    ) repeated ON true
    LEFT JOIN LATERAL (
      SELECT entry_id, credited_nano_usd FROM credit c
      WHERE c.account_id = e.account_id AND c.reference = e.reference AND e.kind = 'top_up' LIMIT 1
    ) credited ON true
    LEFT JOIN LATERAL (
      SELECT entry_id, amount_nano_usd FROM adjustment a
      WHERE a.account_id = e.account_id AND a.reference = e.reference AND e.kind = 'adjustment'
      LIMIT 1
    ) adjusted ON true
    LEFT JOIN LATERAL (
      SELECT account_id FROM wallet w WHERE w.account_id = e.account_id LIMIT 1
    ) owner ON true
    LEFT JOIN LATERAL (
      SELECT deleted_at FROM deleted_conversation d
      WHERE d.conversation_id = e.conversation_id LIMIT 1
    ) deleted ON true
    LEFT JOIN LATERAL (
      SELECT entries FROM conversation_spend s
      WHERE s.conversation_id = e.conversation_id AND s.account_id = e.account_id LIMIT 1
    ) conversation ON true,
    LATERAL (SELECT CASE
      WHEN event.entry_id IS NULL THEN 'its event ' || e.event_id || ' is not recorded'
      WHEN event.entry_id <> e.id
        THEN 'its event ' || e.event_id || ' is recorded with entry ' || event.entry_id
      WHEN e.amount_nano_usd <> 0 AND owner.account_id IS NULL
        THEN 'its account ' || e.account_id || ' has no wallet'
      WHEN e.charge_id IS NOT NULL AND (charged.entry_id, charged.charged_nano_usd)
        IS DISTINCT FROM (e.id, -e.amount_nano_usd)
        THEN 'charge ' || e.charge_id || ' differs from it'
      WHEN e.kind IN ('usage', 'failure') AND e.reference <> '' AND repeated.charge_id IS NULL
        THEN 'it repeats charge ' || e.reference || ', which does not exist'
      WHEN e.kind = 'top_up' AND (credited.entry_id, credited.credited_nano_usd)
        IS DISTINCT FROM (e.id, e.amount_nano_usd)
        THEN 'credit ' || e.reference || ' differs from it'
      WHEN e.kind = 'adjustment' AND (adjusted.entry_id, adjusted.amount_nano_usd)
        IS DISTINCT FROM (e.id, e.amount_nano_usd)
        THEN 'adjustment ' || e.reference || ' differs from it'
      WHEN e.lines::text <> '[]' AND repeated.charge_id IS NULL AND e.cost_nano_usd <> (
        SELECT sum((line ->> 4)::bigint) FROM json_array_elements(e.lines) AS line)
        THEN 'the amounts of its lines differ from its cost'
      WHEN e.conversation_id IS NOT NULL AND deleted.deleted_at < now() - interval '1 hour'
        THEN 'it is linked to conversation ' || e.conversation_id || ', which is deleted'
      WHEN e.conversation_id IS NOT NULL AND deleted.deleted_at IS NULL
        AND conversation.entries IS NULL
        THEN 'the spend of conversation ' || e.conversation_id || ' is not recorded'
    END AS fault) AS found
    WHERE fault IS NOT NULL LIMIT ${lineLimit}`;
}
