import { timestampDate } from "@bufbuild/protobuf/wkt";
import { formatPicoUsd, formatUsd } from "@tollgate/core/money";
import type { Entry } from "@tollgate/proto/tollgate/v1/ledger";
import type { UsageLine } from "@tollgate/proto/tollgate/v1/usage";
import { UsageError } from "../help.ts";
import type { Command } from "./command.ts";

/** A verification reads every entry. */
const verifyTimeoutMs = 60 * 60 * 1_000;

export const listLedgerCommand: Command = {
  takes: [],
  options: ["account", "limit", "before"],
  async run(_args, { account = "", limit: limitText = "50", before = "" }, operator) {
    const limit = /^\d{1,4}$/.test(limitText) ? Number(limitText) : 0;
    if (limit < 1 || limit > 1_000) throw new UsageError("--limit must be from 1 to 1000");
    const page = { account, limit, beforeEntryId: before };
    const { entries } = await operator().listLedger(page);
    const last = entries.length === limit ? entries.at(-1) : undefined;
    const more = last === undefined ? [] : [`older entries: --before ${last.id}`];
    return { lines: [...entries.map(entryLine), ...more], json: entries.map(entryJson) };
  },
};

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

function entryLine(entry: Entry): string {
  const at = entry.recordedAt === undefined ? "" : timestampDate(entry.recordedAt).toISOString();
  const amount = formatUsd(entry.amountNanoUsd).padStart(14);
  const { quantity, unitType } = entry;
  const subject =
    entry.alias === ""
      ? `${entry.reference} ${entry.reason}`.trimEnd()
      : `${entry.alias} ${quantity} ${unitType}`;
  const { uncollectedNanoUsd } = entry;
  const uncollected =
    uncollectedNanoUsd > 0n ? ` (uncollected ${formatUsd(uncollectedNanoUsd)})` : "";
  return `${at} ${amount} ${entry.kind.padEnd(10)} ${entry.accountId} ${subject}${uncollected}`;
}

function entryJson(entry: Entry) {
  return {
    id: entry.id,
    event_id: entry.eventId,
    account_id: entry.accountId,
    key_id: entry.keyId,
    kind: entry.kind,
    amount_usd: formatUsd(entry.amountNanoUsd),
    amount_nano_usd: String(entry.amountNanoUsd),
    uncollected_nano_usd: String(entry.uncollectedNanoUsd),
    request_id: entry.requestId,
    route_type: entry.routeType,
    alias: entry.alias,
    provider: entry.provider,
    unit_type: entry.unitType,
    quantity: Number(entry.quantity),
    basis: entry.basis,
    corpus_size: Number(entry.corpusSize),
    lines: entry.lines.map(lineJson),
    provider_usage: parseJson(entry.providerUsage),
    reference: entry.reference,
    reason: entry.reason,
    recorded_at:
      entry.recordedAt === undefined ? "" : timestampDate(entry.recordedAt).toISOString(),
  };
}

function lineJson({ dimension, quantity, pricePicoUsd, per, amountNanoUsd }: UsageLine) {
  return {
    dimension,
    quantity: Number(quantity),
    price_usd: formatPicoUsd(pricePicoUsd),
    per: Number(per),
    amount_nano_usd: String(amountNanoUsd),
  };
}

/** Returns the value of a JSON text, or null for any other text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
