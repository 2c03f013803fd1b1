import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { UsageFilter } from "@tollgate/proto/tollgate/v1/ledger";
import type pg from "pg";
import { idAt, idBefore, maxRequestMs } from "./entry-id.ts";
import type { Entry, PrismaClient } from "./generated/client.ts";
import { readTrail, requestIdOfResponse } from "./request-trail.ts";
import { type AddValue, filterConditions } from "./usage-grouping.ts";
import { readLines } from "./usage-lines.ts";

/** What a call compares with its filters at the most, so that it takes some 50 ms at the most. */
const maxExamined = 10_000;

export interface RequestPage {
  /** Empty: every account. */
  accountId: string;
  filter?: UsageFilter | undefined;
  /** Only the requests of these keys. */
  keyIds?: readonly string[] | undefined;
  otherThanKeyIds?: readonly string[] | undefined;
  onlyFailed: boolean;
  /** Empty: any end. Only requests whose trail is stored have one. */
  errorCode: string;
  from?: Date | undefined;
  /** Does not belong to the period. */
  to?: Date | undefined;
  limit: number;
  /** Empty: the newest. */
  beforeCursor: string;
}

export type StoredRequest = ReturnType<typeof toRequest>;

interface Databases {
  pool: pg.Pool;
  prisma: PrismaClient;
}

/**
 * Resolves with a page of requests that match, newest first, and the cursor of the next page, which is
 * empty after the last one. Examines 10,000 requests at the most, so a page may be empty and not the
 * last one.
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
  return { requests, nextCursor: examined === maxExamined ? (last ?? "") : "" };
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
  const text = `
    WITH examined AS MATERIALIZED (
      SELECT id, recorded_at, row_number() OVER (ORDER BY ${order}) AS n,
        ${matchSql(matches, ofError)} AS matches
      FROM ${ofError ? failedRequests : "entry"} WHERE ${bounds.join(" AND ")}
      ORDER BY ${order} LIMIT ${matches.length === 0 ? page.limit + 1 : maxExamined}
    )
    SELECT
      ARRAY(SELECT id FROM examined WHERE matches ORDER BY n LIMIT ${page.limit + 1}) AS ids,
      (SELECT id FROM examined ORDER BY n DESC LIMIT 1) AS last,
      (SELECT count(*)::int FROM examined) AS examined`;
  return { text, values };
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
  if (beforeCursor !== "") {
    const cursor = add(beforeCursor);
    const position = `(SELECT recorded_at, id FROM entry WHERE id = ${cursor} LIMIT 1)`;
    bounds.push(byTime ? `(recorded_at, id) < ${position}` : `id < ${cursor}`);
  }
  return { bounds, order: byTime ? "recorded_at DESC, id DESC" : "id DESC" };
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
