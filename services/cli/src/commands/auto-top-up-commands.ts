import { formatUsd } from "@tollgate/core/money";
import type { GetAutoTopUpResponse, SavedCard } from "@tollgate/proto/tollgate/v1/payment";
import { UsageError } from "../help.ts";
import { readUsd } from "../text/amounts.ts";
import type { Command } from "./command.ts";

/** `tollgate payments auto show` */
export const showAutoTopUpCommand: Command = {
  takes: ["ACCOUNT"],
  options: [],
  async run([account = ""], _options, operator) {
    const found = await operator().getAutoTopUp({ account });
    const { autoTopUp: set, card, stopReason, paidNanoUsd } = found;
    const json = {
      enabled: set?.isEnabled ?? false,
      threshold_nano_usd: String(set?.thresholdNanoUsd ?? 0n),
      amount_nano_usd: String(set?.amountNanoUsd ?? 0n),
      monthly_cap_nano_usd: String(set?.monthlyCapNanoUsd ?? 0n),
      card: card === undefined ? null : cardText(card),
      stop_reason: stopReason,
      paid_nano_usd: String(paidNanoUsd),
    };
    return { lines: linesOf(found), json };
  },
};

/** `tollgate payments auto set` */
export const setAutoTopUpCommand: Command = {
  takes: ["ACCOUNT"],
  options: ["below", "amount", "monthly-cap"],
  async run([account = ""], { below, amount, "monthly-cap": cap }, operator) {
    if (below === undefined || amount === undefined || cap === undefined) {
      throw new UsageError("--below, --amount and --monthly-cap are needed");
    }
    const autoTopUp = {
      isEnabled: true,
      thresholdNanoUsd: readUsd(below, "--below"),
      amountNanoUsd: readUsd(amount, "--amount"),
      monthlyCapNanoUsd: readUsd(cap, "--monthly-cap"),
    };
    await operator().updateAutoTopUp({ account, autoTopUp });
    return { lines: ["on"], json: { enabled: true } };
  },
};

/** `tollgate payments auto off` */
export const endAutoTopUpCommand: Command = {
  takes: ["ACCOUNT"],
  options: [],
  async run([account = ""], _options, operator) {
    const { autoTopUp } = await operator().getAutoTopUp({ account });
    if (autoTopUp?.isEnabled) {
      await operator().updateAutoTopUp({ account, autoTopUp: { ...autoTopUp, isEnabled: false } });
    }
    return { lines: ["off"], json: { enabled: false } };
  },
};

/** `tollgate payments card` */
export const setUpCardCommand: Command = {
  takes: ["ACCOUNT"],
  options: [],
  async run([account = ""], _options, operator) {
    const { url } = await operator().createCardSetup({ account });
    return { lines: [url], json: { url } };
  },
};

/** `tollgate payments portal` */
export const openPortalCommand: Command = {
  takes: ["ACCOUNT"],
  options: [],
  async run([account = ""], _options, operator) {
    const { url } = await operator().createPortalSession({ account });
    return { lines: [url], json: { url } };
  },
};

function linesOf({
  autoTopUp: set,
  card,
  stopReason,
  paidNanoUsd,
}: GetAutoTopUpResponse): string[] {
  const saved = card === undefined ? "no card is saved" : `card: ${cardText(card)}`;
  if (set === undefined || !set.isEnabled) return ["off", saved];
  const { thresholdNanoUsd, amountNanoUsd, monthlyCapNanoUsd } = set;
  return [
    `below ${formatUsd(thresholdNanoUsd)} USD: ${formatUsd(amountNanoUsd)} USD`,
    `paid this month: ${formatUsd(paidNanoUsd)} of ${formatUsd(monthlyCapNanoUsd)} USD`,
    saved,
    ...(stopReason === "" ? [] : [`STOPPED: ${stopReason}`]),
  ];
}

function cardText({ brand, lastFour, expiryMonth, expiryYear }: SavedCard): string {
  return `${brand} ${lastFour}, expires ${String(expiryMonth).padStart(2, "0")}/${expiryYear}`;
}
