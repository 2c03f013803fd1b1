import pg from "pg";

/** Lines that one rule reports; more of them say nothing new. */
const maxLines = 1_000;
const undefinedTable = "42P01";

/** What a verification reads and reports. Each statement has a snapshot of its own, and is short. */
export interface VerificationRun {
  pool: pg.Pool;
  /** Stops the verification between two statements. */
  signal: AbortSignal;
  /** One line for each discrepancy. */
  discrepancies: string[];
  months: Months;
}

/** The months of entries. */
export interface Months {
  /** The tables with entries, as they are written in SQL. */
  tables: string[];
  /** The starts of the months that had a partition and are not attached. */
  detached: Date[];
}

/**
 * Runs one statement that returns discrepancies, and reports them. A month that is detached in the
 * meantime looks like missing entries, so what was found is read again.
 */
export async function check<Row extends pg.QueryResultRow>(
  run: VerificationRun,
  read: (detached: readonly Date[]) => pg.QueryConfig,
  describe: (row: Row) => string,
): Promise<void> {
  run.signal.throwIfAborted();
  let { rows } = await run.pool.query<Row>(read(run.months.detached));
  if (rows.length === 0) return;
  run.months = await readMonths(run.pool);
  ({ rows } = await run.pool.query<Row>(read(run.months.detached)));
  const lines = rows.map(describe);
  run.discrepancies.push(...lines.slice(0, maxLines));
  if (lines.length > maxLines) run.discrepancies.push("and more of them");
}

/** The LIMIT of statements that return discrepancies. */
export const lineLimit = maxLines + 1;

/** Resolves with the months that are attached now, and with those that were detached. */
export async function readMonths(pool: pg.Pool): Promise<Months> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits
     WHERE inhparent = 'entry'::regclass ORDER BY 1`,
  );
  const { rows: detached } = await pool.query<{ month: Date }>(
    `SELECT month FROM entry_month WHERE NOT EXISTS (
       SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid,
         LATERAL regexp_match(pg_get_expr(relpartbound, oid), 'FROM \\(''(.*)''\\) TO \\(''(.*)''\\)')
           AS bounds
       WHERE inhparent = 'entry'::regclass
         AND month >= bounds[1]::timestamptz AND month < bounds[2]::timestamptz)
     ORDER BY 1`,
  );
  return {
    tables: tables.map(({ name }) => name),
    detached: detached.map(({ month }) => month),
  };
}

/** Returns the condition that entries of the time are attached; `$n` are the detached months. */
export function isAttached(time: string, n: number): string {
  return `date_trunc('month', ${time}, 'UTC') <> ALL ($${n}::timestamptz[])`;
}

/** Returns whether a statement failed because a table does not exist. */
export function isUndefinedTable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === undefinedTable;
}

/** A table that is read in slices, in the order of its key. */
export interface SlicedTable {
  name: string;
  key: readonly string[];
  /** Values that are before every key. */
  first: readonly string[];
  /** The most rows of a slice. */
  rows: number;
  /** A slice ends where the sum of this column reaches the weight. */
  weight?: { column: string; most: number };
}

/**
 * Calls `visit` for each slice of a table: with the key that it is after, and with its last key. The
 * last slice has no last key.
 */
export async function eachSlice(
  run: VerificationRun,
  { name, key, first, rows: most, weight }: SlicedTable,
  visit: (after: readonly string[], last: readonly string[] | undefined) => Promise<void>,
): Promise<void> {
  const columns = key.join(", ");
  const isLast = weight ? `n = ${most} OR weight >= ${weight.most}` : `n = ${most}`;
  const text = `
    SELECT ${key.map((column) => `${column}::text`).join(", ")} FROM (
      SELECT ${columns}, row_number() OVER ordered AS n, sum(${weight?.column ?? 1}) OVER ordered AS weight
      FROM ${name} WHERE (${columns}) > (${placesFrom(1, key)})
      WINDOW ordered AS (ORDER BY ${columns}) ORDER BY ${columns} LIMIT ${most}
    ) AS following WHERE ${isLast} ORDER BY ${columns} LIMIT 1`;
  for (let after = first; ; ) {
    run.signal.throwIfAborted();
    const values = [...after];
    const { rows } = await run.pool.query<string[]>({ text, values, rowMode: "array" });
    const [last] = rows;
    await visit(after, last);
    if (last === undefined) return;
    after = last;
  }
}

/**
 * Returns the condition that a row is in a slice: that its key is after the values at `$1, $2…`, and
 * not after those that follow, unless the slice is the last one.
 */
export function inSlice(key: readonly string[], last: readonly string[] | undefined): string {
  const after = `(${key.join(", ")}) > (${placesFrom(1, key)})`;
  if (last === undefined) return after;
  return `${after} AND (${key.join(", ")}) <= (${placesFrom(1 + key.length, key)})`;
}

function placesFrom(start: number, key: readonly string[]): string {
  return key.map((_, index) => `$${start + index}`).join(", ");
}
