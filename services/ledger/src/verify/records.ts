import {
  check,
  eachSlice,
  inSlice,
  isAttached,
  lineLimit,
  type VerificationRun,
} from "./verification-run.ts";

const rowsPerSlice = 10_000;

/**
 * Checks that what is recorded of each event, charge id, reference and conversation has its entry, or
 * entries, in the attached months.
 */
export async function verifyRecords(run: VerificationRun): Promise<void> {
  await verifyRecord(run, {
    table: "recorded_event",
    key: ["event_id"],
    title: "event",
    matches: "e.event_id = r.event_id",
  });
  await verifyRecord(run, {
    table: "charge",
    key: ["charge_id"],
    title: "charge",
    matches: "e.charge_id = r.charge_id AND -e.amount_nano_usd = r.charged_nano_usd",
  });
  await verifyRecord(run, {
    table: "credit",
    key: ["account_id", "reference"],
    title: "credit",
    matches: `e.kind = 'top_up' AND e.account_id = r.account_id AND e.reference = r.reference
      AND e.amount_nano_usd = r.credited_nano_usd`,
  });
  await verifyRecord(run, {
    table: "adjustment",
    key: ["account_id", "reference"],
    title: "adjustment",
    matches: `e.kind = 'adjustment' AND e.account_id = r.account_id AND e.reference = r.reference
      AND e.amount_nano_usd = r.amount_nano_usd`,
  });
  await verifyConversations(run);
}

interface RecordTable {
  table: string;
  key: readonly string[];
  title: string;
  matches: string;
}

async function verifyRecord(run: VerificationRun, { table, key, title, matches }: RecordTable) {
  const sliced = { name: table, key, first: key.map(() => ""), rows: rowsPerSlice };
  await eachSlice(run, sliced, async (after, last) => {
    const slice = [...after, ...(last ?? [])];
    const text = `
      SELECT ${key.at(-1)} AS id, r.entry_id FROM ${table} r
      LEFT JOIN LATERAL (
        SELECT id FROM entry e
        WHERE e.id = r.entry_id AND e.recorded_at = r.recorded_at AND ${matches} LIMIT 1
      ) found ON true
      WHERE ${inSlice(key, last)} AND found.id IS NULL
        AND ${isAttached("r.recorded_at", slice.length + 1)} LIMIT ${lineLimit}`;
    await check<{ id: string; entry_id: string }>(
      run,
      (detached) => ({ text, values: [...slice, detached] }),
      ({ id, entry_id }) => `${title} ${id}: differs from its entry ${entry_id}`,
    );
  });
}

/** Where months are detached, the entries that remain may be fewer than recorded, and not more. */
async function verifyConversations(run: VerificationRun): Promise<void> {
  const key = ["conversation_id", "account_id"];
  const sliced = {
    name: "conversation_spend",
    key,
    first: ["", ""],
    rows: 1_000,
    weight: { column: "entries", most: 20_000 },
  };
  await eachSlice(run, sliced, async (after, last) => {
    const slice = [...after, ...(last ?? [])];
    const isLess = `cardinality($${slice.length + 1}::timestamptz[]) > 0
      AND found.entries <= s.entries AND found.charged <= s.charged_nano_usd`;
    const text = `
      SELECT conversation_id, s.entries, s.charged_nano_usd AS spent,
        found.entries AS found_entries, found.charged::bigint AS charged
      FROM conversation_spend s, LATERAL (
        SELECT count(*) AS entries, coalesce(-sum(amount_nano_usd), 0) AS charged FROM entry e
        WHERE e.conversation_id = s.conversation_id AND e.account_id = s.account_id
      ) found
      WHERE ${inSlice(key, last)} AND NOT (${isLess})
        AND (found.entries, found.charged) <> (s.entries, s.charged_nano_usd) LIMIT ${lineLimit}`;
    await check<Conversation>(
      run,
      (detached) => ({ text, values: [...slice, detached] }),
      ({ conversation_id, entries, spent, found_entries, charged }) =>
        `conversation ${conversation_id}: ${found_entries} entries charge ${charged}, recorded ` +
        `are ${entries} and ${spent} (nano-USD)`,
    );
  });
}

interface Conversation {
  conversation_id: string;
  entries: bigint;
  spent: bigint;
  found_entries: bigint;
  charged: bigint;
}
