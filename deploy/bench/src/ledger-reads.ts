import { create } from "@bufbuild/protobuf";
import { PrismaPg } from "@prisma/adapter-pg";
import { listConversationEntries } from "@tollgate/ledger/conversations";
import { PrismaClient } from "@tollgate/ledger/generated/client";
import { sumOverview } from "@tollgate/ledger/overview";
import {
  findCharge,
  findCharges,
  findMissing,
  listEntries,
  sumSpend,
} from "@tollgate/ledger/read-entries";
import { findRequestEntries, findRequests, toRequests } from "@tollgate/ledger/requests";
import { readSlotCalls } from "@tollgate/ledger/slot-calls";
import { sumUsage } from "@tollgate/ledger/usage-sums";
import { verifyLedger } from "@tollgate/ledger/verify/verify";
import { findWallet, topUp } from "@tollgate/ledger/wallet";
import { UsageBy, UsageFilterSchema } from "@tollgate/proto/tollgate/v1/ledger";
import type pg from "pg";
import { filledEntryId, fillLedger, type LedgerFilling } from "./fill.ts";
import { quantile } from "./statistics.ts";

const rounds = 200;
const accounts = 100;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** What the ledger confirms in one call, and what a settlement looks up in one. */
const idsPerCall = 500;

type Read = () => Promise<unknown>;

/**
 * Fills a ledger with entries of a hundred accounts, half of them of one account, and prints how long
 * each read of a command or route takes: the shortest, the median and the 99th percentile of 200
 * calls, with one caller. (The shortest compares machines that are busy.) Then verifies the ledger once.
 */
export async function measureReads(
  pool: pg.Pool,
  entries: number,
  others: Readonly<Record<string, Read>>,
  accountId: string,
): Promise<void> {
  const filledAt = performance.now();
  const accountIds = Array.from({ length: accounts }, (_, n) =>
    n === 0 ? accountId : `${accountId}_${n}`,
  );
  for (const owner of accountIds.slice(1)) {
    await topUp(pool, {
      accountId: owner,
      amountNanoUsd: 10n ** 15n,
      reference: "",
      at: new Date(),
    });
  }
  const filling = { entries, accountIds, keysPerAccount: 3, aliases: 5, untilMs: Date.now() };
  await fillLedger(pool, filling);
  await pool.query("VACUUM ANALYZE");
  say(`${entries} entries in ${seconds(filledAt)} s`);
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "ledger" }) });
  say("| read | shortest ms | median ms | p99 ms |\n| --- | --: | --: | --: |");
  for (const [name, read] of Object.entries({
    ...readsOf(pool, prisma, filling, accountId),
    ...others,
  })) {
    const times = await measure(read);
    const figures = [0, 0.5, 0.99].map((part) => quantile(times, part).toFixed(2));
    say(`| ${[name, ...figures].join(" | ")} |`);
  }
  const verifiedAt = performance.now();
  const { discrepancies } = await verifyLedger(pool);
  say(`verified in ${seconds(verifiedAt)} s, ${discrepancies.length} discrepancies`);
}

function readsOf(
  pool: pg.Pool,
  prisma: PrismaClient,
  filling: LedgerFilling,
  accountId: string,
): Readonly<Record<string, Read>> {
  const { entries } = filling;
  const hex = (n: number) => n.toString(16).padStart(32, "0");
  // Scattered, so that not every round reads what the one before has cached.
  let round = 0;
  const next = () => {
    round += 1;
    return (round * 48_271) % entries;
  };
  const ids = (newest: boolean) =>
    Array.from(
      { length: idsPerCall },
      () => `req_${hex(newest ? entries - 1 - (next() % 10_000) : next())}`,
    );
  const now = Date.now();
  const from = new Date(Math.floor(now / dayMs) * dayMs - 30 * dayMs);
  const to = new Date(from.getTime() + 31 * dayMs);
  const hours = {
    from: new Date(from.getTime() + 5 * hourMs),
    to: new Date(to.getTime() - 40 * hourMs),
  };
  const page = (owner: string, before: string) =>
    listEntries(prisma, { accountId: owner, limit: 50, beforeEntryId: before });
  const usage = (owner: string, by: UsageBy, period = { from, to }) =>
    sumUsage(pool, { accountId: owner, by, ...period });
  return {
    "a wallet": () => findWallet(pool, accountId),
    "the spend of 30 days": () => sumSpend(pool, accountId, new Date(now - 30 * dayMs)),
    "settlement of 500 requests": () =>
      findCharges(pool, { accountId, requestIds: ids(true), withinMs: hourMs / 2 }),
    "the charge of a request": () => findCharge(pool, `req_${hex(next())}`),
    "which of 500 events are recorded": () => findMissing(pool, ids(false)),
    "a conversation of 50 entries": () =>
      listConversationEntries(prisma, {
        accountId,
        conversationId: `${accountId}/${Math.floor(next() / 100)}`,
      }),
    "ledger list": () => page("", ""),
    "ledger list --before": () => page("", filledEntryId(next(), filling)),
    "ledger list --account": () => page(accountId, ""),
    "ledger list --account --before": () => page(accountId, filledEntryId(next() & ~1, filling)),
    "usage --by model": () => usage("", UsageBy.MODEL),
    "usage --by key": () => usage("", UsageBy.KEY),
    "usage --by day": () => usage("", UsageBy.DAY),
    "usage --account --by key": () => usage(accountId, UsageBy.KEY),
    "usage --account --by day": () => usage(accountId, UsageBy.DAY),
    "usage from an hour to an hour": () => usage("", UsageBy.MODEL, hours),
    ...requestReads({ pool, prisma }, filling, accountId, next),
  };
}

/** The error code of the filled requests that were cut. */
const cut = "upstream_disconnected";

/** What only the console and the commands of requests read. */
function requestReads(
  databases: { pool: pg.Pool; prisma: PrismaClient },
  filling: LedgerFilling,
  accountId: string,
  next: () => number,
): Readonly<Record<string, Read>> {
  const hour = Math.floor(filling.untilMs / hourMs) * hourMs;
  const days = (count: number) => ({
    from: new Date(hour - count * dayMs),
    to: new Date(hour + hourMs),
  });
  const requests = (page: Partial<Parameters<typeof findRequests>[1]>) =>
    findRequests(databases, {
      ...{ accountId: "", onlyFailed: false, errorCode: "", limit: 50, beforeCursor: "" },
      ...page,
    });
  return {
    "request list": () => requests({}),
    "request list --before": () => requests({ beforeCursor: filledEntryId(next(), filling) }),
    "request list --account": () => requests({ accountId }),
    "request list --model, of a week": () =>
      requests({ filter: create(UsageFilterSchema, { alias: "model-1" }), ...days(7) }),
    "request list --failed, of which there are none": () => requests({ onlyFailed: true }),
    "request list --error": () => requests({ errorCode: cut }),
    "request list --account --error": () => requests({ accountId, errorCode: cut }),
    "request list --error --model, of which there are none": () =>
      requests({ errorCode: cut, filter: create(UsageFilterSchema, { alias: "none" }) }),
    "request show": async () => {
      const id = `req_${next().toString(16).padStart(32, "0")}`;
      return toRequests(databases, await findRequestEntries(databases, { id, accountId: "" }));
    },
    "the overview of a day": () => sumOverview(databases.pool, { accountId: "", ...days(1) }),
    "the overview of 30 days": () => sumOverview(databases.pool, { accountId: "", ...days(30) }),
    "the overview of an account": () => sumOverview(databases.pool, { accountId, ...days(30) }),
    "the calls of all slots": () => readSlotCalls(databases.pool),
  };
}

async function measure(read: Read): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    await read();
    times.push(performance.now() - startedAt);
  }
  return times;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(0);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
