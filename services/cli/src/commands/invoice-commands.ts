import { readFile } from "node:fs/promises";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { formatUsd } from "@tollgate/core/money";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { UsageError } from "../help.ts";
import { type ComparedModels, compareInvoice, isLoss } from "../invoices/compare-invoice.ts";
import { readInvoice } from "../invoices/read-invoice.ts";
import type { Command } from "./command.ts";

/**
 * `tollgate invoice check`: fails where less was charged than was paid, and stores the result, of which the gateway
 * warns.
 */
export const checkInvoiceCommand: Command = {
  takes: ["PROVIDER", "FILE", "MONTH"],
  options: [],
  async run([provider = "", file = "", month = ""], _options, operator) {
    const { from, to } = periodOf(month);
    const invoice = readInvoice(await readFile(file, "utf8"));
    const period = { from: timestampFromDate(from), to: timestampFromDate(to) };
    const { usage } = await operator().readUsage({
      ...{ account: "", by: UsageBy.MODEL, filter: { provider }, ...period },
    });
    if (usage?.hasMore) throw new UsageError("there are too many models to compare");
    const { models } = await operator().listModels({});
    const compared = compareInvoice(invoice, usage?.sums ?? [], models, provider);
    const isServed = models.some(({ slots }) => slots.some((slot) => slot.provider === provider));
    if (!isServed && usage?.sums.length === 0) {
      throw new UsageError(`no model of the provider ${provider} is in the catalog, or was served`);
    }
    const losses = compared.filter(isLoss);
    await operator().recordInvoiceCheck({
      ...{ provider, month },
      paidNanoUsd: losses.reduce((sum, { paidNanoUsd }) => sum + paidNanoUsd, 0n),
      chargedNanoUsd: losses.reduce((sum, { chargedNanoUsd }) => sum + chargedNanoUsd, 0n),
    });
    const result = losses.length === 0 ? "no losses" : `CHARGED LESS THAN PAID: ${losses.length}`;
    return {
      lines: [`${provider}, ${month} (UTC): ${result}`, ...compared.map(lineOf)],
      json: { provider, month, models: compared.map(jsonOf) },
      failed: losses.length > 0,
    };
  },
};

/** Returns the period of a month (UTC). Throws a UsageError. */
function periodOf(month: string): { from: Date; to: Date } {
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (year === undefined) throw new UsageError("MONTH must be one such as 2026-10");
  const start = (months: number) => new Date(Date.UTC(Number(year), months));
  return { from: start(Number(number) - 1), to: start(Number(number)) };
}

function lineOf(models: ComparedModels): string {
  const { upstreamModels, aliases, paidNanoUsd, chargedNanoUsd, expectedNanoUsd } = models;
  const served = aliases.length === 0 ? "no model of the catalog" : aliases.join(", ");
  const names = `${upstreamModels.join(", ") || "none"} (${served})`;
  const amounts = `paid ${formatUsd(paidNanoUsd)}, charged ${formatUsd(chargedNanoUsd)}`;
  const mark = isLoss(models) ? "LOSS " : "";
  return `${mark}${names}: ${amounts}, expected cost ${formatUsd(expectedNanoUsd)} USD`;
}

function jsonOf(models: ComparedModels) {
  return {
    upstream_models: models.upstreamModels,
    models: models.aliases,
    paid_usd: formatUsd(models.paidNanoUsd),
    charged_usd: formatUsd(models.chargedNanoUsd),
    expected_cost_usd: formatUsd(models.expectedNanoUsd),
    is_loss: isLoss(models),
  };
}
