import { formatUsd } from "@tollgate/core/money";
import {
  type Entry,
  type HoldSummary,
  RequestOrder,
  type RequestRecord,
} from "@tollgate/proto/tollgate/v1/ledger";
import { UsageError } from "../help.ts";
import { orderedOptions, pageOptions, readLimit, readOrder } from "../options/list-options.ts";
import { usageFilterOfOptions, usageFilterOptions } from "../options/usage-filter.ts";
import { periodFilterOf } from "../options/usage-period.ts";
import { readUsd, shortUsd, walletJson } from "../text/amounts.ts";
import { entryJson } from "../text/entry-lines.ts";
import { refusalJson, refusalLines } from "../text/refusal-lines.ts";
import { requestJson, requestLines } from "../text/request-lines.ts";
import { formatTable, type TableColumn } from "../text/table.ts";
import { isoTime, shortTime } from "../text/times.ts";
import type { Command } from "./command.ts";
import { listOutput } from "./list-output.ts";

const usualPage = 50;

const orders = {
  newest: RequestOrder.UNSPECIFIED,
  oldest: RequestOrder.OLDEST,
  charges: RequestOrder.CHARGED,
  duration: RequestOrder.DURATION,
} as const;

/** `tollgate request list` */
export const listRequestsCommand: Command = {
  takes: [],
  options: [
    ...(["account", "failed", "error", "from", "to"] as const),
    ...[...usageFilterOptions, ...orderedOptions],
  ],
  async run(_args, { account = "", before = "", ...options }, operator) {
    const page = { limit: readLimit(options, usualPage), order: readOrder(options, orders) };
    const { requests, nextCursor } = await operator().listRequests({
      ...{ account, beforeCursor: before, ...page },
      ...{ ...usageFilterOfOptions(options), ...periodFilterOf(options) },
      onlyFailed: options.failed === true,
      errorCode: options.error ?? "",
    });
    return listOutput("requests", {
      rows: requests,
      next: nextCursor,
      toLines: (rows) => formatTable(requestColumns, rows),
      toJson: requestJson,
    });
  },
};

const requestColumns: TableColumn<RequestRecord>[] = [
  { title: "TIME", cell: ({ occurredAt }) => isoTime(occurredAt) ?? "", align: "left" },
  { title: "REQUEST", cell: ({ requestId }) => requestId, align: "left" },
  { title: "MODEL", cell: ({ alias }) => alias, align: "left" },
  { title: "PROVIDER", cell: ({ provider }) => provider, align: "left", rank: 3 },
  { title: "KEY", cell: ({ keyId }) => keyId, align: "left", rank: 1 },
  { title: "MS", cell: ({ durationMs }) => String(durationMs), rank: 2 },
  { title: "CHARGED", cell: ({ chargedNanoUsd }) => formatUsd(chargedNanoUsd) },
  { title: "ERROR", cell: ({ errorCode }) => errorCode, align: "left" },
];

/** `tollgate request` */
export const showRequestCommand: Command = {
  takes: ["an id"],
  options: [],
  async run([id = ""], _options, operator) {
    const { requests, entries, refunds, refusals } = await operator().getRequest({ id });
    const blocks = [
      ...requests.map((request, index) => requestLines(request, entries[index])),
      ...(refunds.length === 0 ? [] : [refunds.map(refundLine)]),
      ...refusals.map(refusalLines),
    ];
    return {
      lines: blocks.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines])),
      json: {
        requests: requests.map(requestJson),
        refunds: refunds.map(entryJson),
        refusals: refusals.map(refusalJson),
      },
    };
  },
};

function refundLine({ recordedAt, amountNanoUsd, reason }: Entry): string {
  return `refunded: ${shortUsd(amountNanoUsd)} USD, ${shortTime(recordedAt)}, ${reason}`;
}

/** `tollgate request refund` */
export const refundRequestCommand: Command = {
  takes: ["an id", "USD"],
  options: ["reason", "reference"],
  async run([requestId = "", usd = ""], { reason, reference }, operator) {
    if (reason === undefined || reference === undefined) {
      throw new UsageError("request refund needs --reason and --reference");
    }
    const amountNanoUsd = readUsd(usd, "the refund");
    const request = { requestId, amountNanoUsd, reason, reference };
    const { wallet, refunded } = await operator().refundRequest(request);
    const what = refunded ? "refunded" : "was refunded before:";
    const balance = formatUsd(wallet?.balanceNanoUsd ?? 0n);
    return {
      lines: [`${what} ${shortUsd(amountNanoUsd)} USD of ${requestId}, balance ${balance} USD`],
      json: { refunded, request_id: requestId, ...walletJson(wallet) },
    };
  },
};

/** `tollgate hold list` */
export const listHoldsCommand: Command = {
  takes: [],
  options: ["account", ...pageOptions],
  async run(_args, { account = "", before = "", ...options }, operator) {
    const page = { limit: readLimit(options), beforeHoldId: before };
    const { holds, hasMore } = await operator().listHolds({ account, ...page });
    return listOutput("holds", {
      rows: holds,
      next: hasMore ? (holds.at(-1)?.id ?? "") : "",
      toLines: (rows) => formatTable(holdColumns, rows),
      toJson: holdJson,
    });
  },
};

const holdColumns: TableColumn<HoldSummary>[] = [
  { title: "HOLD", cell: ({ id }) => id, align: "left" },
  { title: "ACCOUNT", cell: ({ accountId }) => accountId, align: "left" },
  { title: "KEY", cell: ({ keyId }) => keyId, align: "left", rank: 1 },
  { title: "AMOUNT", cell: ({ amountNanoUsd }) => formatUsd(amountNanoUsd) },
  { title: "JOB", cell: jobOf, align: "left", rank: 3 },
  { title: "SHARED", cell: ({ isShared }) => (isShared ? "yes" : ""), align: "left" },
  { title: "EXPIRES", cell: ({ expiresAt }) => isoTime(expiresAt) ?? "", align: "left", rank: 2 },
];

/** Returns the alias and the id of the job that a hold is kept for. */
function jobOf({ alias, jobId }: HoldSummary): string {
  return jobId === "" ? "" : `${alias} ${jobId}`;
}

function holdJson({ amountNanoUsd, createdAt, expiresAt, ...hold }: HoldSummary) {
  return {
    id: hold.id,
    account_id: hold.accountId,
    key_id: hold.keyId,
    amount_nano_usd: String(amountNanoUsd),
    is_shared: hold.isShared,
    job: hold.jobId === "" ? null : { id: hold.jobId, model: hold.alias },
    created_at: isoTime(createdAt),
    expires_at: isoTime(expiresAt),
  };
}
