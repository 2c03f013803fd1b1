import { create } from "@bufbuild/protobuf";
import { PrismaPg } from "@prisma/adapter-pg";
import { newRequestId } from "@tollgate/core/ids";
import { createCapture } from "@tollgate/ledger/capture";
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
import { createHoldTaker } from "@tollgate/ledger/take-holds";
import { sumUsage, type UsagePeriod } from "@tollgate/ledger/usage-sums";
import { readUsageTimes } from "@tollgate/ledger/usage-times";
import { verifyLedger } from "@tollgate/ledger/verify/verify";
import { findWallet, topUp } from "@tollgate/ledger/wallet";
import {
  type KeyLabel,
  KeyLabelSchema,
  UsageBy,
  UsageFilterSchema,
} from "@tollgate/proto/tollgate/v1/ledger";
import { Outcome, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { quantile } from "../report/statistics.ts";
import { filledEntryId, fillLedger, type LedgerFilling } from "./fill.ts";

const rounds = 200;
/** A read that takes long is measured less often. */
const maxReadMs = 5_000;
const minRounds = 5;
const accounts = 100;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** What the ledger confirms in one call, and what a settlement looks up in one. */
const idsPerCall = 500;
const schema = { schema: "ledger" };

type Read = () => Promise<unknown>;

/**
 * Fills a ledger with entries of a hundred accounts, half of them of one account, and prints how long
 * each read of a command, view or route takes: the shortest, the median and the 99th percentile of 200
 * calls, or of those of 5 seconds, with one caller. (The shortest compares machines that are busy.) Then
 * verifies the ledger once.
 */
export async function measureReads(
  pool: pg.Pool,
  entries: number,
  say: (line: string) => void,
): Promise<void> {
  const filledAt = performance.now();
  const accountIds = Array.from({ length: accounts }, (_, n) => `acct_bench_${n}`);
  const [accountId = ""] = accountIds;
  const credit = { amountNanoUsd: 10n ** 15n, reference: "", at: new Date() };
  for (const owner of accountIds) await topUp(pool, { accountId: owner, ...credit });
  const filling = { entries, accountIds, keysPerAccount: 3, aliases: 5, untilMs: Date.now() };
  await fillLedger(pool, filling);
  await pool.query("VACUUM ANALYZE");
  say(`${entries} entries in ${seconds(filledAt)} s`);
  say("| read | shortest ms | median ms | p99 ms |\n| --- | --: | --: | --: |");
  for (const [name, read] of Object.entries(readsOf(pool, filling, accountId))) {
    const times = await measure(read);
    const figures = [0, 0.5, 0.99].map((part) => quantile(times, part).toFixed(2));
    say(`| ${[name, ...figures].join(" | ")} |`);
  }
  const verifiedAt = performance.now();
  const { discrepancies } = await verifyLedger(pool);
  say(`verified in ${seconds(verifiedAt)} s, ${discrepancies.length} discrepancies`);
}

/** The error code of the filled requests that were cut. */
const cut = "upstream_disconnected";

/** Longer than 70 lines: it is a table. */
function readsOf(
  pool: pg.Pool,
  filling: LedgerFilling,
  accountId: string,
): Readonly<Record<string, Read>> {
  const databases = { pool, prisma: new PrismaClient({ adapter: new PrismaPg(pool, schema) }) };
  // Scattered, so that not every round reads what the one before has cached.
  let round = 0;
  const next = () => {
    round += 1;
    return (round * 48_271) % filling.entries;
  };
  const id = (n = next()) => `req_${n.toString(16).padStart(32, "0")}`;
  const ids = (of: () => string) => Array.from({ length: idsPerCall }, of);
  const newest = () => id(filling.entries - 1 - (next() % 10_000));
  const now = filling.untilMs;
  const hour = Math.floor(now / hourMs) * hourMs;
  const days = (count: number) => ({
    from: new Date(hour - count * dayMs),
    to: new Date(hour + hourMs),
  });
  const page = (owner: string, beforeEntryId = "") =>
    listEntries(databases, { accountId: owner, limit: 50, beforeEntryId });
  const usage = (owner: string, by: UsageBy, more: Partial<UsagePeriod> = {}) =>
    sumUsage(pool, { accountId: owner, by, ...days(30), ...more });
  const keyLabels = labelsOf(filling);
  const allRequests = { onlyFailed: false, errorCode: "", limit: 50, beforeCursor: "" };
  const requests = (some: Partial<Parameters<typeof findRequests>[1]>) =>
    findRequests(databases, { accountId: "", ...allRequests, ...some });
  const model = (alias: string) => create(UsageFilterSchema, { alias });
  return {
    "a wallet": () => findWallet(pool, accountId),
    "the spend of 30 days": () => sumSpend(pool, accountId, new Date(now - 30 * dayMs)),
    "settlement of 500 requests": () =>
      findCharges(pool, { accountId, requestIds: ids(newest), withinMs: hourMs / 2 }),
    "the charge of a request": () => findCharge(pool, id()),
    "which of 500 events are recorded": () => findMissing(pool, ids(id)),
    "a conversation of 50 entries": () => {
      const conversationId = `${accountId}/${Math.floor(next() / 100)}`;
      return listConversationEntries(databases.prisma, { accountId, conversationId });
    },
    "ledger list": () => page(""),
    "ledger list --account --before": () => page(accountId, filledEntryId(next() & ~1, filling)),
    "usage --by model": () => usage("", UsageBy.MODEL),
    "usage --by day": () => usage("", UsageBy.DAY),
    "usage --by day,model": () => usage("", UsageBy.DAY, { thenBy: UsageBy.MODEL, thenMost: 8 }),
    "usage --by key": () => usage("", UsageBy.KEY),
    "usage --by account,model": () => usage("", UsageBy.ACCOUNT, { thenBy: UsageBy.MODEL }),
    "usage --by provider": () => usage("", UsageBy.PROVIDER),
    "usage --by route": () => usage("", UsageBy.ROUTE),
    "usage --by plan": () => usage("", UsageBy.PLAN),
    "usage --by tag,model": () => usage("", UsageBy.TAG, { thenBy: UsageBy.MODEL, keyLabels }),
    "usage --by owner": () => usage("", UsageBy.OWNER, { keyLabels }),
    "usage --by account": () => usage("", UsageBy.ACCOUNT),
    "usage --by end-user": () => usage("", UsageBy.END_USER),
    "usage --by end-user,model": () => usage("", UsageBy.END_USER, { thenBy: UsageBy.MODEL }),
    "usage --by day,end-user": () =>
      usage("", UsageBy.DAY, { thenBy: UsageBy.END_USER, thenMost: 7 }),
    "usage --account --by end-user": () => usage(accountId, UsageBy.END_USER),
    "usage --by end-user, of a day that has not ended": () => usage("", UsageBy.END_USER, days(1)),
    "the times of models, of 30 days": () =>
      readUsageTimes(pool, { accountId: "", by: UsageBy.MODEL, ...days(30) }),
    "usage --account --by key": () => usage(accountId, UsageBy.KEY),
    "request list": () => requests({}),
    "request list --before": () => requests({ beforeCursor: filledEntryId(next(), filling) }),
    "request list --model, of a week": () => requests({ filter: model("model-1"), ...days(7) }),
    "request list --account --error": () => requests({ accountId, errorCode: cut }),
    "request list --error --model, of which there are none": () =>
      requests({ errorCode: cut, filter: model("none") }),
    "request show": async () =>
      toRequests(databases, await findRequestEntries(databases, { id: id(), accountId: "" })),
    "the overview of 30 days": () => sumOverview(pool, { accountId: "", ...days(30) }),
    "the overview of an account": () => sumOverview(pool, { accountId, ...days(30) }),
    "the calls of all slots": () => readSlotCalls(pool),
    "hold and capture": holdAndCapture(pool, accountId),
  };
}

/** Each key has two of 50 tags, and one of ten owners. */
function labelsOf({ accountIds, keysPerAccount }: LedgerFilling): KeyLabel[] {
  const keyIds = accountIds.flatMap((accountId) =>
    Array.from({ length: keysPerAccount }, (_, key) => `${accountId}/${key}`),
  );
  const label = (keyId: string, by: UsageBy, text: string) =>
    create(KeyLabelSchema, { keyId, by, label: text });
  return keyIds.flatMap((keyId, n) => [
    label(keyId, UsageBy.TAG, `tag-${n % 50}`),
    label(keyId, UsageBy.TAG, `tag-${(n + 7) % 50}`),
    label(keyId, UsageBy.OWNER, `owner-${n % 10}`),
  ]);
}

function holdAndCapture(pool: pg.Pool, accountId: string): Read {
  const take = createHoldTaker(pool, 60_000);
  const capture = createCapture(pool);
  return async () => {
    const id = newRequestId();
    await take({ holdId: id, accountId, estimateNanoUsd: 5_000n });
    const charge = { costNanoUsd: 1_000n, reportedNanoUsd: 1_000n };
    const about = { routeType: "chat", alias: "model-1", outcome: Outcome.COMPLETED };
    const ids = { id, requestId: id, holdId: id, accountId };
    const captured = capture(create(UsageEventSchema, { ...ids, ...about, ...charge }));
    capture.flush();
    await captured;
  };
}

async function measure(read: Read): Promise<number[]> {
  const times: number[] = [];
  const endsAt = performance.now() + maxReadMs;
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    if (round >= minRounds && startedAt > endsAt) break;
    await read();
    times.push(performance.now() - startedAt);
  }
  return times;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(0);
}
