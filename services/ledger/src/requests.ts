import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { RequestOrder, type UsageFilter } from "@tollgate/proto/tollgate/v1/ledger";
import type pg from "pg";
import { idAt, idBefore, maxRequestMs } from "./entry-id.ts";
import type { Entry, PrismaClient } from "./generated/client.ts";
import { readTrail, requestIdOfResponse } from "./request-trail.ts";
import { type AddValue, filterConditions } from "./usage-grouping.ts";
import { readLines } from "./usage-lines.ts";

/** What a call compares with its filters at the most, so that it takes some 50 ms at the most. */
const maxExamined = 10_000;
/** How many requests are put in an order other than that of their times, in some 100 ms. */
const maxSorted = 5_000;

export interface RequestPage {
  /** Empty: every account. */
  accountId: string;
  filter?: UsageFilter | undefined;
  /** Only the requests of these keys. */
  keyIds?: readonly string[] | undefined;
  /** Not the requests of these keys. */
  excludedKeyIds?: readonly string[] | undefined;
  onlyFailed: boolean;
  /** Empty: any end. Only requests whose trail is stored have one. */
  errorCode: string;
  from?: Date | undefined;
  /** Does not belong to the period. */
  to?: Date | undefined;
  limit: number;
  /** Empty: the first page. */
  beforeCursor: string;
  order?: RequestOrder;
}

export type StoredRequest = ReturnType<typeof toRequest>;

interface Databases {
  pool: pg.Pool;
  prisma: PrismaClient;
}

/**
 * Resolves with a page of requests that match, in their order, and the cursor of the next page, which is
 * empty after the last one. Examines 10,000 requests at the most, so a page may be empty and not the
 * last one. An order by something else than the time is that of the newest 5,000.
 */
export async function findRequests(
  databases: Databases,
  page: RequestPage,
): Promise<{ requests: StoredRequest[]; nextCursor: string }> {
  const { text, values } = findSql(page);
  const { rows } = await databases.pool.query<FoundRow>(text, values);
  const [{ ids, last, examined } = { ids: [], last: "", examined: 0 }] = rows;
  const shown = ids.slice(0, page.limit);
  const stored = await readRequests(databases, shown);
  const requests = stored.map((request) => ({ ...request, lines: [], providerUsage: "" }));
  if (ids.length > page.limit) return { requests, nextCursor: shown.at(-1) ?? "" };
  const isLast = examined < maxExamined || sortOf(page) !== undefined;
  return { requests, nextCursor: isLast ? "" : (last ?? "") };
}

interface FoundRow {
  /** The entries of the requests that match: one more than the page has, if there are more. */
  ids: string[];
  /** The last one that was examined, and how many were. */
  last: string | null;
  examined: number;
}

/**
 * Returns the statement. An account's requests are read by entry_account_recorded_at, those of an end user by
 * entry_end_user_recorded_at, and those of all by the ids of entries, which ascend with the times of their requests. Those with an error code are
 * read by request_trail_account_error and request_trail_error, in the same order.
 */
function findSql(page: RequestPage): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const add = (value: unknown) => `$${values.push(value)}`;
  const ofError = page.errorCode !== "";
  const { bounds, order } = boundsOf(page, add);
  const matches = [
    ...(page.onlyFailed ? ["kind = 'failure'"] : []),
    ...filterConditions({ ...page, accountId: "" }, add),
  ];
  const sorted = sortOf(page);
  const unfiltered = matches.length === 0 ? page.limit + 1 : maxExamined;
  const text = `
    WITH examined AS MATERIALIZED (
      SELECT id, recorded_at, row_number() OVER (ORDER BY ${order}) AS n,
        ${matchSql(matches, ofError)} AS matches
      FROM ${ofError ? failedRequests : "entry"} WHERE ${bounds.join(" AND ")}
      ORDER BY ${order} LIMIT ${sorted ? maxSorted : unfiltered}
    ), found AS MATERIALIZED (
      SELECT id, ${sorted ? `row_number() OVER (ORDER BY ${sorted} DESC NULLS LAST, n)` : "n"} AS n
      FROM examined WHERE matches
    )
    SELECT
      ARRAY(SELECT id FROM found ${sorted ? positionSql(page, add) : ""}
        ORDER BY n LIMIT ${page.limit + 1}) AS ids,
      (SELECT id FROM examined ORDER BY n DESC LIMIT 1) AS last,
      (SELECT count(*)::int FROM examined) AS examined`;
  return { text, values };
}

/** Returns what requests are ordered by, where that is not their time. */
function sortOf({ order }: RequestPage): string | undefined {
  return order === undefined ? undefined : sortedBy[order];
}

const sortedBy: Partial<Record<RequestOrder, string>> = {
  [RequestOrder.CHARGED]: `(SELECT -amount_nano_usd FROM entry e
    WHERE e.id = examined.id AND e.recorded_at = examined.recorded_at LIMIT 1)`,
  [RequestOrder.DURATION]: `(SELECT (trail ->> 1)::int FROM request_trail t
    WHERE t.entry_id = examined.id AND t.recorded_at = examined.recorded_at LIMIT 1)`,
};

/** Returns the condition of the requests after the cursor; of all, where it is empty. */
function positionSql({ beforeCursor }: RequestPage, add: AddValue): string {
  if (beforeCursor === "") return "";
  return `WHERE n > (SELECT n FROM found WHERE id = ${add(beforeCursor)})`;
}

/** Returns the conditions of what a call examines, and its order: by the time, or by the id alone. */
function boundsOf(page: RequestPage, add: AddValue): { bounds: string[]; order: string } {
  const { accountId, errorCode, from, to, beforeCursor } = page;
  const bounds = subjectBounds(page, add);
  const endUser = errorCode === "" ? (page.filter?.endUser ?? "") : "";
  const byTime = accountId !== "" || endUser !== "";
  if (from !== undefined) {
    bounds.push(`recorded_at >= ${add(from)}`);
    if (!byTime) bounds.push(`id >= ${add(idBefore(from))}`);
  }
  if (to !== undefined) {
    bounds.push(`recorded_at < ${add(to)}`);
    if (!byTime) bounds.push(`id < ${add(idAt(to.getTime() + maxRequestMs))}`);
  }
  const isOldest = page.order === RequestOrder.OLDEST;
  const [after, direction] = isOldest ? [">", "ASC"] : ["<", "DESC"];
  if (beforeCursor !== "" && sortOf(page) === undefined) {
    const cursor = add(beforeCursor);
    const position = `(SELECT recorded_at, id FROM entry WHERE id = ${cursor} LIMIT 1)`;
    bounds.push(byTime ? `(recorded_at, id) ${after} ${position}` : `id ${after} ${cursor}`);
  }
  const order = byTime ? `recorded_at ${direction}, id ${direction}` : `id ${direction}`;
  return { bounds, order };
}

function subjectBounds({ accountId, errorCode, filter }: RequestPage, add: AddValue): string[] {
  const ofAccount = accountId === "" ? [] : [`account_id = ${add(accountId)}`];
  if (errorCode !== "") return [`error_code = ${add(errorCode)}`, ...ofAccount];
  const { endUser = "" } = filter ?? {};
  const ofUser = endUser === "" ? [] : [`end_user = ${add(endUser)} AND end_user <> ''`];
  return ["kind IN ('usage', 'failure')", ...ofAccount, ...ofUser];
}

const failedRequests =
  "(SELECT entry_id AS id, recorded_at, account_id, error_code FROM request_trail) failed";

/** Returns whether a row matches, by the columns of its entry. */
function matchSql(matches: readonly string[], ofError: boolean): string {
  if (matches.length === 0) return "true";
  const condition = matches.join(" AND ");
  if (!ofError) return condition;
  return `(SELECT ${condition} FROM entry e
    WHERE e.id = failed.id AND e.recorded_at = failed.recorded_at LIMIT 1)`;
}

/**
 * Resolves with the entries of a request, oldest first: by its id, or by that of a usage event; else by an id
 * that its client, its response or a provider gave it. An empty account is any.
 */
export async function findRequestEntries(
  databases: Databases,
  { id, accountId }: { id: string; accountId: string },
): Promise<Entry[]> {
  const requestId = requestIdOfResponse(id) ?? id;
  const found = await findOwnEntries(databases, { id: requestId, accountId });
  return found.length > 0 ? found : findOtherEntries(databases, { id, accountId });
}

async function findOwnEntries(
  { prisma }: Databases,
  { id, accountId }: { id: string; accountId: string },
): Promise<Entry[]> {
  const recorded = await prisma.recordedEvent.findUnique({ where: { eventId: id } });
  const either = [{ requestId: id }, ...(recorded ? [{ id: recorded.entryId }] : [])];
  return prisma.entry.findMany({
    where: {
      OR: either,
      kind: { in: ["usage", "failure"] },
      ...(accountId === "" ? {} : { accountId }),
    },
    orderBy: [{ recordedAt: "asc" }, { id: "asc" }],
    take: maxEntriesOfRequest,
  });
}

/** Resolves with the newest entries whose requests have an id that others gave them, oldest first. */
async function findOtherEntries(
  { pool, prisma }: Databases,
  { id, accountId }: { id: string; accountId: string },
): Promise<Entry[]> {
  const { rows } = await pool.query<{ entry_id: string }>({
    name: "find-entries-by-id",
    text: "SELECT entry_id FROM find_entries_by_id($1, $2, $3) AS found (entry_id)",
    values: [id, accountId, maxOfOtherId],
  });
  if (rows.length === 0) return [];
  return prisma.entry.findMany({
    where: { id: { in: rows.map(({ entry_id: entryId }) => entryId) } },
    orderBy: [{ recordedAt: "asc" }, { id: "asc" }],
  });
}

/** A client may give many requests the same id. */
const maxOfOtherId = 20;

/** An idempotency key makes a request run again, for instance. */
const maxEntriesOfRequest = 100;

/** Resolves with the requests of entries, in their order. */
export async function toRequests(
  { pool }: Pick<Databases, "pool">,
  entries: readonly Entry[],
): Promise<StoredRequest[]> {
  const { rows } = await pool.query<{ entry_id: string; trail: unknown }>({
    name: "read-trails",
    text: `SELECT entry_id, trail FROM unnest($1::text[], $2::timestamptz[]) AS of (id, at),
        LATERAL (SELECT entry_id, trail FROM request_trail t
          WHERE t.entry_id = of.id AND t.recorded_at >= of.at
            AND t.recorded_at < of.at + interval '1 millisecond' LIMIT 1) found`,
    values: [entries.map(({ id }) => id), entries.map(({ recordedAt }) => recordedAt)],
  });
  const trails = new Map(rows.map((row) => [row.entry_id, row.trail]));
  return entries.map((entry) => toRequest(entry, trails.get(entry.id)));
}

async function readRequests(
  { pool, prisma }: Databases,
  ids: readonly string[],
): Promise<StoredRequest[]> {
  const entries = await prisma.entry.findMany({ where: { id: { in: [...ids] } } });
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const ordered = ids.flatMap((id) => byId.get(id) ?? []);
  return toRequests({ pool }, ordered);
}

function toRequest(entry: Entry, trail: unknown) {
  const isFailure = entry.kind === "failure";
  const stored = readTrail(trail);
  const last = stored.attempts?.at(-1);
  return {
    ...stored,
    errorCode: stored.errorCode || (isFailure ? "failed" : ""),
    id: entry.eventId,
    requestId: entry.requestId,
    cursor: entry.id,
    entryId: entry.id,
    accountId: entry.accountId,
    keyId: entry.keyId,
    routeType: entry.routeType,
    alias: entry.alias,
    provider: entry.provider || (last?.provider ?? ""),
    upstreamModel: entry.upstreamModel || (last?.upstreamModel ?? ""),
    // The usage event has the time of its end.
    occurredAt: timestampFromMs(entry.occurredAt.getTime() - (stored.durationMs ?? 0)),
    unitType: entry.unitType,
    quantity: entry.quantity,
    promptTokens: entry.promptTokens,
    cachedPromptTokens: entry.cachedPromptTokens,
    completionTokens: entry.completionTokens,
    costNanoUsd: entry.costNanoUsd,
    chargedNanoUsd: -entry.amountNanoUsd,
    uncollectedNanoUsd: entry.uncollectedNanoUsd,
    ...(entry.providerCostNanoUsd === null
      ? {}
      : { providerCostNanoUsd: entry.providerCostNanoUsd }),
    plan: entry.plan,
    endUser: entry.endUser,
    basis: entry.basis,
    lines: readLines(entry.lines),
    providerUsage: entry.providerUsage ?? "",
    conversationId: entry.conversationId ?? "",
  };
}
