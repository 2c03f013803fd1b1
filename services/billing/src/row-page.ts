import { TimeOrder } from "@tollgate/proto/tollgate/v1/list";
import { Prisma, type PrismaClient } from "./generated/client.ts";
import { ascending, containing, descending } from "./list-query.ts";

/** How many rows a page compares with a search at the most, so that it takes some 50 ms. */
const maxCompared = 10_000;
/** How many rows are put in the order of their amounts. */
const maxSorted = 5_000;

/** A page of a list whose ids ascend with the times of its rows. */
export interface RowPage<Id extends string | bigint> {
  table: Prisma.Sql;
  id: Prisma.Sql;
  /** The conditions that an index finds. */
  bounds: readonly Prisma.Sql[];
  /** The conditions that rows are compared with, one row after the other. */
  matches: readonly Prisma.Sql[];
  order: TimeOrder;
  limit: number;
  /** Where the page begins: after this row. Empty or 0: at the first one. */
  before: Id;
}

/**
 * Resolves with the ids of a page, and the row after which the next one begins; undefined where there are no
 * more. Compares 10,000 rows at the most, so a page may be short, or empty, and not the last one.
 */
export async function findPage<Id extends string | bigint>(
  prisma: PrismaClient,
  { table, id, bounds, matches, order, limit, before }: RowPage<Id>,
): Promise<{ ids: Id[]; next: Id | undefined }> {
  const { after, direction } = order === TimeOrder.OLDEST ? ascending : descending;
  const position = before ? [Prisma.sql`${id} ${after} ${before}`] : [];
  const sorted = Prisma.sql`ORDER BY ${id} ${direction}`;
  const rows = Prisma.sql`FROM ${table} ${whereAll([...bounds, ...position])} ${sorted}`;
  const compared = matches.length === 0 ? limit + 1 : maxCompared;
  const found = await prisma.$queryRaw<{ id: Id }[]>`
    SELECT ${id} AS id FROM (SELECT * ${rows} LIMIT ${compared}) AS compared
    ${whereAll(matches)} ${sorted} LIMIT ${limit + 1}`;
  const ids = found.slice(0, limit).map((row) => row.id);
  if (found.length > limit) return { ids, next: ids.at(-1) };
  if (matches.length === 0) return { ids, next: undefined };
  const [last] = await prisma.$queryRaw<{ id: Id }[]>`
    SELECT ${id} AS id ${rows} OFFSET ${maxCompared - 1} LIMIT 1`;
  return { ids, next: last?.id };
}

/**
 * Resolves with the ids of a page of the newest 5,000 rows, those with the largest amounts first, and the row after
 * which the next page begins; undefined where there are no more.
 */
export async function findLargest(
  prisma: PrismaClient,
  page: Omit<RowPage<string>, "order"> & { amount: Prisma.Sql },
): Promise<{ ids: string[]; next: string | undefined }> {
  const { table, id, bounds, matches, amount, limit, before } = page;
  const position = before ? [Prisma.sql`n > (SELECT n FROM sorted WHERE id = ${before})`] : [];
  const found = await prisma.$queryRaw<{ id: string }[]>`
    WITH newest AS MATERIALIZED (
      SELECT * FROM ${table} ${whereAll(bounds)} ORDER BY ${id} DESC LIMIT ${maxSorted}
    ), sorted AS MATERIALIZED (
      SELECT ${id} AS id, row_number() OVER (ORDER BY ${amount} DESC, ${id} DESC) AS n
      FROM newest ${whereAll(matches)}
    )
    SELECT id FROM sorted ${whereAll(position)} ORDER BY n LIMIT ${limit + 1}`;
  const ids = found.slice(0, limit).map((row) => row.id);
  return { ids, next: found.length > limit ? ids.at(-1) : undefined };
}

/** Returns the condition that one of some columns contains what is searched, in any case of its letters. */
export function searching(search: string, columns: readonly Prisma.Sql[]): Prisma.Sql[] {
  if (search === "") return [];
  const pattern = containing(search);
  const either = columns.map((column) => Prisma.sql`${column} ILIKE ${pattern}`);
  return [Prisma.sql`(${Prisma.join(either, " OR ")})`];
}

/** The name of the account of a row, for `searching`. */
export const accountNameColumn = Prisma.sql`(SELECT name FROM account WHERE account.id = account_id)`;

/** Returns the condition that a column has a value, where that is not empty. */
export function having(column: Prisma.Sql, value: string): Prisma.Sql[] {
  return value === "" ? [] : [Prisma.sql`${column} = ${value}`];
}

/** Returns rows in the order of their ids. */
export function inOrderOf<Id, Row>(
  ids: readonly Id[],
  rows: readonly Row[],
  idOf: (row: Row) => Id,
): Row[] {
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function whereAll(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0
    ? Prisma.empty
    : Prisma.sql`WHERE ${Prisma.join([...conditions], " AND ")}`;
}
