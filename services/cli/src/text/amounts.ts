import { formatPicoUsd, formatUsd, maxBalanceNanoUsd, parseUsd } from "@tollgate/core/money";
import type { Wallet } from "@tollgate/proto/tollgate/v1/ledger";
import { UsageError } from "../help.ts";

/** Reads an amount of USD, in nano-USD. Throws a UsageError that names it. */
export function readUsd(text: string, name: string): bigint {
  const amount = parseUsd(text);
  if (amount !== undefined && amount > maxBalanceNanoUsd) {
    throw new UsageError(`${name} must be at most ${formatUsd(maxBalanceNanoUsd)}`);
  }
  if (amount !== undefined && amount % 1_000n === 0n) return amount;
  throw new UsageError(`${name} must be an amount such as 12.50, with at most six decimals`);
}

/** Reads an amount with a sign: `-5.00` and `+5.00`. */
export function readSignedUsd(text: string, name: string): bigint {
  const [, sign = "", amount = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  const nano = readUsd(amount, name);
  return sign === "-" ? -nano : nano;
}

/** Reads a whole number from 1 to `most`. Throws a UsageError that names it. */
export function readWholeNumber(text: string, name: string, most: number): number {
  const count = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= most) return count;
  throw new UsageError(`${name} must be a whole number from 1 to ${most}`);
}

/** Writes an amount without the zeros after its cents. */
export function shortUsd(nano: bigint): string {
  return formatUsd(nano).replace(/(\.\d\d\d*?)0+$/, "$1");
}

/** Writes an amount with all its decimals, without zeros at the end. */
export function exactUsd(nano: bigint): string {
  return formatPicoUsd(nano * 1_000n);
}

export function walletJson(wallet: Wallet | undefined) {
  const { balanceNanoUsd = 0n, heldNanoUsd = 0n } = wallet ?? {};
  return {
    balance_usd: formatUsd(balanceNanoUsd),
    balance_nano_usd: String(balanceNanoUsd),
    held_nano_usd: String(heldNanoUsd),
  };
}
