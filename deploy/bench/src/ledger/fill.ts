import type pg from "pg";

/** Rows per statement. */
const batch = 50_000;

type Database = Pick<pg.Pool, "query">;

/** Returns the text of the nth key that `fillKeys` inserts. */
export function keyText(n: number): string {
  return `sk-tollgate-bench-${n}`;
}

/** Inserts additional keys of an account. */
export async function fillKeys(database: Database, accountId: string, count: number) {
  await inBatches(0, count, async (from, until) => {
    await database.query(
      `WITH added AS (
         INSERT INTO billing.api_key (id, account_id, channel)
         SELECT 'key_bench_' || n, $1, '' FROM generate_series($2::int, $3::int - 1) AS n
       )
       INSERT INTO billing.key_secret (key_hash, key_id, shown_key)
       SELECT sha256(convert_to('${keyText(0).slice(0, -1)}' || n, 'UTF8')), 'key_bench_' || n, ''
       FROM generate_series($2::int, $3::int - 1) AS n`,
      [accountId, from, until],
    );
  });
}

/** Inserts conversations of one turn each for one key. */
export async function fillConversations(
  database: Database,
  { keyId, accountId }: { keyId: string; accountId: string },
  count: number,
) {
  await inBatches(0, count, async (from, until) => {
    await database.query(
      `WITH added AS (
         INSERT INTO chat.conversation (key_id, id, account_id, model, turn_count, context_tokens,
           text_bytes, text_characters, messages, image_parts, last_active_at)
         SELECT $1, gen_random_uuid()::text, $2, 'bench', 1, 20, 100, 100, 2, 0,
           now() - interval '1 second' * n
         FROM generate_series($3::int, $4::int - 1) AS n RETURNING key_id, id
       )
       INSERT INTO chat.turn (key_id, conversation_id, index, messages, response, usage, model,
         request_id)
       SELECT key_id, id, 0, '[{"role":"user","content":"Hello"}]',
         '{"role":"assistant","content":"You said: Hello"}', '{"total_tokens":20}', 'bench',
         'req_' || id
       FROM added`,
      [keyId, accountId, from, until],
    );
  });
}

/** How many days of trails the ledger stores by default. */
const trailDays = 30;

/** Creates the partitions of trails for the days that are stored. */
async function createPastTrailPartitions(database: Database) {
  for (let ago = 0; ago < trailDays; ago += 1) {
    const [start = "", end = ""] = [ago, ago - 1].map((days) =>
      new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10),
    );
    for (const table of ["request_trail", "request_other_id"]) {
      await database.query(
        `CREATE TABLE IF NOT EXISTS ledger.${table}_${start.replaceAll("-", "_")}
         PARTITION OF ledger.${table} FOR VALUES FROM ('${start}Z') TO ('${end}Z')`,
      );
    }
  }
}

/** Creates the partitions of entries for the months of the last sixty days. */
async function createPastPartitions(database: Database) {
  await database.query(
    `SELECT ledger.create_entry_partition((now() AT TIME ZONE 'UTC' - n * interval '20 days')::date)
     FROM generate_series(0, 3) AS n`,
  );
}

export interface LedgerFilling {
  entries: number;
  /** Every second entry is of the first of these accounts, and the others share the rest. */
  accountIds: readonly string[];
  keysPerAccount: number;
  aliases: number;
  /** When the last entry is recorded, milliseconds. */
  untilMs: number;
}

const filledMs = 60 * 86_400_000;

/** Returns the id of the nth entry that `fillLedger` inserts: it begins with its time, as `newId` does. */
export function filledEntryId(n: number, { entries, untilMs }: LedgerFilling): string {
  const ms = Math.floor(untilMs - filledMs * (1 - n / entries));
  return `entry_${ms.toString(16).padStart(12, "0")}${n.toString(16).padStart(20, "0")}`;
}

const endUsersPerAccount = 1_000;

/**
 * Inserts ledger entries in the order of their time, spread evenly over the sixty days before now, of
 * several accounts, keys, models and end users, which two thirds of them name, with the trails of the last 30 days: one request of fifty was
 * served by the second slot of its chain, and one of a hundred was cut. A conversation has a hundred of
 * them.
 */
export async function fillLedger(database: Database, filling: LedgerFilling) {
  const { entries, accountIds, keysPerAccount, aliases, untilMs } = filling;
  await createPastPartitions(database);
  await createPastTrailPartitions(database);
  await inBatches(0, entries, async (first, end) => {
    await database.query(
      `WITH added AS (
       INSERT INTO ledger.entry (id, event_id, account_id, key_id, kind, amount_nano_usd,
         cost_nano_usd, uncollected_nano_usd, request_id, route_type, alias, provider,
         upstream_model, unit_type, quantity, basis, prompt_tokens, completion_tokens,
         cached_prompt_tokens, end_user, conversation_id, reference, occurred_at, recorded_at)
       SELECT 'entry_' || lpad(to_hex(ms), 12, '0') || right(hex, 20), 'req_' || hex, account_id, account_id || '/' || n / 2 % $4, 'usage',
         -1000, 1000, 0, 'req_' || hex, 'chat', 'model-' || n / 3 % $5, 'openai', 'gpt-4o-mini',
         'tokens', 10, 'provider', 5, 5, 0,
         CASE n % 3 WHEN 0 THEN '' ELSE md5(account_id || n / 11 % ${endUsersPerAccount}) END, account_id || '/' || n / 100, '', at, at
       FROM generate_series($2::int, $3::int - 1) AS n, LATERAL (
         SELECT lpad(to_hex(n), 32, '0') AS hex,
           ($1::text[])[CASE n % 2 WHEN 0 THEN 1 ELSE 1 + n / 2 % cardinality($1) END] AS account_id,
           floor($7::float8 - ${filledMs} * (1 - n::float8 / $6::float8))::bigint AS ms
       ) AS row, LATERAL (SELECT to_timestamp(ms / 1000.0) AS at) AS moment
       RETURNING id, recorded_at, event_id, account_id
       ), named AS (
         INSERT INTO ledger.request_other_id (id, entry_id, recorded_at, account_id)
         SELECT 'chatcmpl-' || md5('response' || event_id), id, recorded_at, account_id FROM added
         WHERE recorded_at >= date_trunc('day', now(), 'UTC') - interval '${trailDays - 1} days'
       )
       INSERT INTO ledger.request_trail (entry_id, recorded_at, trail, error_code, account_id)
       SELECT id, recorded_at, json_build_array(
         CASE WHEN ms % 50 = 0
           THEN json_build_array(json_build_array('azure', 'gpt-4o', 0, 30, 'rejected', 503, '', '', ''), served)
           ELSE json_build_array(served)
         END, ms + 12, 210, coalesce(code, ''), md5(event_id), '12000', true, json_build_array(),
         json_build_array(200, '', 'POST /v1/chat/completions', 'bench', '', '')),
         code, CASE WHEN code IS NOT NULL THEN account_id END
       FROM added, LATERAL (SELECT 300 + hashtext(event_id) & 1023 AS ms) AS took,
         LATERAL (SELECT CASE WHEN ms % 100 = 1 THEN 'upstream_disconnected' END AS code) AS ended,
         LATERAL (SELECT json_build_array('openai', 'gpt-4o-mini', 2, ms, '', 0, '', '', '') AS served) AS call
       WHERE recorded_at >= date_trunc('day', now(), 'UTC') - interval '${trailDays - 1} days'`,
      [accountIds, first, end, keysPerAccount, aliases, entries, untilMs],
    );
  });
}

async function inBatches(
  from: number,
  until: number,
  write: (from: number, until: number) => Promise<void>,
): Promise<void> {
  for (let at = from; at < until; at += batch) await write(at, Math.min(until, at + batch));
}
