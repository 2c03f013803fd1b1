import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { formatUsd } from "@tollgate/core/money";
import type { Entry, HoldSummary, RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";
import { UsageError } from "../help.ts";
import { periodOfOptions } from "../options/usage-period.ts";
import { readUsd, readWholeNumber, shortUsd, walletJson } from "../text/amounts.ts";
import { entryJson } from "../text/entry-lines.ts";
import { refusalJson, refusalLines } from "../text/refusal-lines.ts";
import { requestJson, requestLines } from "../text/request-lines.ts";
import { formatTable, type TableColumn } from "../text/table.ts";
import { isoTime, shortTime } from "../text/times.ts";
import type { Command } from "./command.ts";

const maxPage = 1_000;

/** `tollgate request list` */
export const listRequestsCommand: Command = {
  takes: [],
  options: [
    ...(["account", "key", "model", "provider", "route", "plan", "tag", "owner"] as const),
    ...(["end-user", "failed", "error", "from", "to", "limit", "before"] as const),
  ],
  async run(_args, { account = "", limit = "50", before = "", ...options }, operator) {
    const { key: keyId = "", model: alias = "", provider = "", route: routeType = "" } = options;
    const { plan = "", tag: [tag = ""] = [], owner = "", "end-user": endUser = "" } = options;
    const { requests, nextCursor } = await operator().listRequests({
      ...{ account, keyId, alias, provider, routeType, plan, tag, owner, endUser },
      onlyFailed: options.failed === true,
      errorCode: options.error ?? "",
      limit: readWholeNumber(limit, "--limit", maxPage),
      beforeCursor: before,
      ...periodOf(options),
    });
    const more = nextCursor === "" ? [] : [`older requests: --before ${nextCursor}`];
    return {
      lines: [...formatTable(requestColumns, requests), ...more],
      json: { requests: requests.map(requestJson), next_cursor: nextCursor },
    };
  },
};

/** Without --from and --to, every request is listed. */
function periodOf(options: { from?: string | undefined; to?: string | undefined }) {
  if (options.from === undefined && options.to === undefined) return {};
  const { from, to } = periodOfOptions(options, new Date());
  return { from: timestampFromDate(from), to: timestampFromDate(to) };
}

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
  options: ["account", "limit", "before"],
  async run(_args, { account = "", limit = "100", before = "" }, operator) {
    const page = { limit: readWholeNumber(limit, "--limit", maxPage), beforeHoldId: before };
    const { holds, hasMore } = await operator().listHolds({ account, ...page });
    const more = hasMore ? [`older holds: --before ${holds.at(-1)?.id ?? ""}`] : [];
    return {
      lines: [...formatTable(holdColumns, holds), ...more],
      json: { holds: holds.map(holdJson), has_more: hasMore },
    };
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
