import { formatUsd } from "@tollgate/core/money";
import type { WalletSums } from "@tollgate/proto/tollgate/v1/statement";
import { UsageError } from "../help.ts";
import {
  namedAmountOrders,
  orderedOptions,
  readLimit,
  readOrder,
} from "../options/list-options.ts";
import { periodFilterOf } from "../options/usage-period.ts";
import { type RowRules, rowChooser, wholeListOptions } from "../options/whole-list.ts";
import { csvLines } from "../text/csv-lines.ts";
import { entryJson, entryLine } from "../text/entry-lines.ts";
import { formatTable, type TableColumn } from "../text/table.ts";
import type { Command } from "./command.ts";
import { listOutput } from "./list-output.ts";

/** A verification reads every entry. */
const verifyTimeoutMs = 60 * 60 * 1_000;
const usualPage = 50;

/** `tollgate ledger list` */
export const listLedgerCommand: Command = {
  takes: [],
  options: ["account", "kind", "request", "key", "from", "to", ...orderedOptions, "csv"],
  async run(_args, { account = "", before = "", csv: asCsv = false, ...options }, operator) {
    const { kind = "", request: requestId = "", key: keyId = "" } = options;
    const page = {
      limit: readLimit(options, usualPage),
      order: readOrder(options, namedAmountOrders),
    };
    const { entries, csv, nextEntryId } = await operator().listLedger({
      ...{ account, beforeEntryId: before, asCsv, ...page },
      filter: { kind, requestId, keyId, ...periodFilterOf(options) },
    });
    const output = listOutput("entries", {
      rows: entries,
      next: nextEntryId,
      toLines: (rows) => rows.map(entryLine),
      toJson: entryJson,
    });
    return asCsv ? { ...output, lines: csvLines(csv) } : output;
  },
};

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
  options: [...wholeListOptions, "csv"],
  async run([month = ""], { csv: asCsv = false, ...options }, operator) {
    if (asCsv && Object.values(options).some((value) => value !== undefined)) {
      throw new UsageError("--csv has every account: leave --search and --order out");
    }
    const choose = rowChooser(options, monthRules);
    const { hasMore, total, csv, ...sums } = await operator().readMonth({ month, asCsv });
    const wallets = choose(sums.wallets);
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

const monthRules: RowRules<WalletSums> = {
  texts: ({ accountId, accountName }) => [accountId, accountName],
  orders: {
    charges: { greatest: ({ chargesNanoUsd }) => chargesNanoUsd },
    name: { text: ({ accountName }) => accountName },
    balance: { greatest: ({ closingNanoUsd }) => closingNanoUsd },
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
