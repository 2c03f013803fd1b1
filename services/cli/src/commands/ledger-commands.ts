import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { formatUsd } from "@tollgate/core/money";
import type { WalletSums } from "@tollgate/proto/tollgate/v1/statement";
import { UsageError } from "../help.ts";
import { periodOfOptions } from "../options/usage-period.ts";
import { csvLines } from "../text/csv-lines.ts";
import { entryJson, entryLine } from "../text/entry-lines.ts";
import { formatTable, type TableColumn } from "../text/table.ts";
import type { Command } from "./command.ts";

/** A verification reads every entry. */
const verifyTimeoutMs = 60 * 60 * 1_000;

/** `tollgate ledger list` */
export const listLedgerCommand: Command = {
  takes: [],
  options: ["account", "kind", "request", "from", "to", "limit", "before", "csv"],
  async run(_args, { account = "", limit: limitText = "50", before = "", ...options }, operator) {
    const { csv: asCsv = false } = options;
    const limit = /^\d{1,4}$/.test(limitText) ? Number(limitText) : 0;
    if (limit < 1 || limit > 1_000) throw new UsageError("--limit must be from 1 to 1000");
    const { kind = "", request: requestId = "" } = options;
    const filter = { kind, requestId, ...periodOf(options) };
    const { entries, csv } = await operator().listLedger({
      ...{ account, limit, beforeEntryId: before, filter, asCsv },
    });
    const last = entries.length === limit ? entries.at(-1) : undefined;
    const more = last === undefined ? [] : [`older entries: --before ${last.id}`];
    const lines = asCsv ? csvLines(csv) : [...entries.map(entryLine), ...more];
    return { lines, json: entries.map(entryJson) };
  },
};

/** Without --from and --to, entries of any time are listed. */
function periodOf(options: { from?: string | undefined; to?: string | undefined }) {
  if (options.from === undefined && options.to === undefined) return {};
  const { from, to } = periodOfOptions(options, new Date());
  return { from: timestampFromDate(from), to: timestampFromDate(to) };
}

/** `tollgate ledger verify` */
export const verifyLedgerCommand: Command = {
  takes: [],
  options: [],
  async run(_args, _options, operator) {
    const { result } = await operator().verifyLedger({}, { timeoutMs: verifyTimeoutMs });
    const { wallets = 0n, entries = 0n, openHolds = 0n, discrepancies = [] } = result ?? {};
    const { detachedMonths = [], jobHolds = 0n } = result ?? {};
    const ofJobs = jobHolds === 0n ? "" : `, ${jobHolds} of jobs`;
    const counts = `${wallets} wallets, ${entries} entries, ${openHolds} open holds${ofJobs}`;
    const failed = discrepancies.length > 0;
    return {
      lines: [
        failed ? `${counts}: DISCREPANCIES` : `${counts}: no discrepancies`,
        ...discrepancies,
        ...detachedMonths.map((month) => `${month}: its entries are detached, and not compared`),
      ],
      json: {
        wallets: Number(wallets),
        entries: Number(entries),
        open_holds: Number(openHolds),
        job_holds: Number(jobHolds),
        discrepancies,
        detached_months: detachedMonths,
      },
      failed,
    };
  },
};

/** `tollgate ledger month` */
export const readMonthCommand: Command = {
  takes: [],
  mayTake: "MONTH",
  options: ["csv"],
  async run([month = ""], { csv: asCsv = false }, operator) {
    const { wallets, hasMore, total, csv } = await operator().readMonth({ month, asCsv });
    const rows = total === undefined ? wallets : [...wallets, { ...total, accountName: "total" }];
    const more = hasMore ? ["there are more accounts, which are in the total"] : [];
    return {
      lines: asCsv ? csvLines(csv) : [...formatTable(monthColumns, rows), ...more],
      json: {
        accounts: wallets.map(sumsJson),
        has_more: hasMore,
        total: total === undefined ? null : sumsJson(total),
      },
    };
  },
};

const monthColumns: readonly TableColumn<WalletSums>[] = [
  {
    title: "ACCOUNT",
    cell: ({ accountName, accountId }) => accountName || accountId,
    align: "left",
  },
  { title: "OPENING", cell: ({ openingNanoUsd }) => formatUsd(openingNanoUsd) },
  { title: "TOP-UPS", cell: ({ topUpsNanoUsd }) => formatUsd(topUpsNanoUsd) },
  { title: "CHARGES", cell: ({ chargesNanoUsd }) => formatUsd(chargesNanoUsd) },
  { title: "REFUNDS", cell: ({ refundsNanoUsd }) => formatUsd(refundsNanoUsd), rank: 2 },
  {
    title: "ADJUSTMENTS",
    cell: ({ adjustmentsNanoUsd }) => formatUsd(adjustmentsNanoUsd),
    rank: 1,
  },
  { title: "CLOSING", cell: ({ closingNanoUsd }) => formatUsd(closingNanoUsd) },
];

function sumsJson(sums: WalletSums) {
  return {
    account_id: sums.accountId,
    account: sums.accountName,
    opening_usd: formatUsd(sums.openingNanoUsd),
    top_ups_usd: formatUsd(sums.topUpsNanoUsd),
    charges_usd: formatUsd(sums.chargesNanoUsd),
    refunds_usd: formatUsd(sums.refundsNanoUsd),
    adjustments_usd: formatUsd(sums.adjustmentsNanoUsd),
    closing_usd: formatUsd(sums.closingNanoUsd),
  };
}
