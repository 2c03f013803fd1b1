import pg from "pg";

export interface LedgerEntry {
  kind: string;
  eventId: string;
  requestId: string;
  reference: string;
  chargeId: string | undefined;
  amountNanoUsd: bigint;
  uncollectedNanoUsd: bigint;
  /** The total charge of its idempotency key, if it has one. */
  chargedForKey: bigint | undefined;
}

interface Row {
  kind: string;
  event_id: string;
  request_id: string;
  reference: string;
  charge_id: string | null;
  amount_nano_usd: string;
  uncollected_nano_usd: string;
  charged_nano_usd: string | null;
}

/** Reads all ledger entries from the database directly. */
export async function readEntries(databaseUrl: string): Promise<LedgerEntry[]> {
  const rows = await query<Row>(
    databaseUrl,
    `SELECT kind, event_id, request_id, reference,
       coalesce(entry.charge_id, charge.charge_id) AS charge_id,
       amount_nano_usd, uncollected_nano_usd, charged_nano_usd
     FROM ledger.entry LEFT JOIN ledger.charge
       ON charge.charge_id = coalesce(entry.charge_id, nullif(entry.reference, ''))`,
  );
  return rows.map((row) => ({
    kind: row.kind,
    eventId: row.event_id,
    requestId: row.request_id,
    reference: row.reference,
    chargeId: row.charge_id ?? undefined,
    amountNanoUsd: BigInt(row.amount_nano_usd),
    uncollectedNanoUsd: BigInt(row.uncollected_nano_usd),
    chargedForKey: row.charged_nano_usd === null ? undefined : BigInt(row.charged_nano_usd),
  }));
}

/** Reads the lowest balance and the lowest available amount of all wallets, in nano-USD. */
export async function readLowestWallet(
  databaseUrl: string,
): Promise<{ balance: bigint; available: bigint }> {
  const [row] = await query<{ balance: string | null; available: string | null }>(
    databaseUrl,
    `SELECT min(balance_nano_usd) AS balance, min(balance_nano_usd - held_nano_usd) AS available
     FROM ledger.wallet`,
  );
  return { balance: BigInt(row?.balance ?? 0), available: BigInt(row?.available ?? 0) };
}

async function query<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}
