import { formatUsd } from "@tollgate/core/money";
import type { Wallet } from "@tollgate/proto/tollgate/v1/ledger";
import { UsageError } from "../help.ts";
import { readSignedUsd, readUsd, walletJson } from "../text/amounts.ts";
import type { Command } from "./command.ts";

/** `tollgate wallet show` */
export const showWalletCommand: Command = {
  takes: ["ACCOUNT"],
  options: [],
  async run([name = ""], _options, operator) {
    const { account, wallet } = await operator().readWallet({ account: name });
    const { balanceNanoUsd = 0n, heldNanoUsd = 0n, debtNanoUsd = 0n } = wallet ?? {};
    const available = balanceNanoUsd - heldNanoUsd;
    return {
      lines: [
        `balance:   ${formatUsd(balanceNanoUsd)} USD`,
        `held:      ${formatUsd(heldNanoUsd)} USD`,
        `available: ${formatUsd(available)} USD`,
        ...(debtNanoUsd > 0n ? [`owed:      ${formatUsd(debtNanoUsd)} USD`] : []),
      ],
      json: {
        account_id: account?.id,
        ...walletJson(wallet),
        available_nano_usd: String(available),
        debt_nano_usd: String(debtNanoUsd),
      },
    };
  },
};

/** `tollgate wallet top-up` */
export const topUpWalletCommand: Command = {
  takes: ["ACCOUNT", "USD"],
  options: ["reference"],
  async run([account = "", amount = ""], { reference }, operator) {
    if (reference === undefined) throw new UsageError("a top-up needs --reference");
    const amountNanoUsd = readUsd(amount, "USD");
    const { credited, wallet } = await operator().topUpWallet({
      account,
      amountNanoUsd,
      reference,
    });
    const change = credited ? `added ${amount} USD` : "reference already credited, nothing added";
    return {
      lines: [`${change}; ${balanceOf(wallet)}`],
      json: { credited, ...walletJson(wallet) },
    };
  },
};

/** `tollgate wallet adjust` */
export const adjustWalletCommand: Command = {
  takes: ["ACCOUNT", "±USD"],
  options: ["reason", "reference"],
  async run([account = "", amount = ""], { reason, reference }, operator) {
    if (reason === undefined) throw new UsageError("an adjustment needs --reason");
    if (reference === undefined) throw new UsageError("an adjustment needs --reference");
    const amountNanoUsd = readSignedUsd(amount, "±USD");
    const request = { account, amountNanoUsd, reason, reference };
    const { adjusted, wallet } = await operator().adjustWallet(request);
    const change = adjusted
      ? `adjusted by ${formatUsd(amountNanoUsd)} USD`
      : "reference already applied, nothing changed";
    return {
      lines: [`${change}; ${balanceOf(wallet)}`],
      json: { adjusted, ...walletJson(wallet) },
    };
  },
};

function balanceOf(wallet: Wallet | undefined): string {
  return `balance ${formatUsd(wallet?.balanceNanoUsd ?? 0n)} USD`;
}
