import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import type { NanoUsd } from "@tollgate/core/money";
import { type LimitRefusal, LimitRefusalSchema } from "@tollgate/proto/tollgate/v1/limits";

/** What a hold is taken for, or grows for. */
export interface HoldChange {
  holdId: string;
  accountId: string;
  /** Default: a key without limits. */
  keyId?: string;
  /** As in `Caller`. Default: none. */
  endUser?: string;
  estimateNanoUsd: NanoUsd;
}

export interface HoldGrant {
  /** min(estimate, available). Zero: there is no hold. */
  heldNanoUsd: NanoUsd;
  /** What all holds of the wallet reserve, this one included. */
  walletHeldNanoUsd: NanoUsd;
  walletBalanceNanoUsd: NanoUsd;
  /** The limit for which nothing is held. */
  refusal?: LimitRefusal;
}

/** What every statement about a hold returns, as columns. */
export interface HeldWalletRow {
  wallet_held: bigint;
  wallet_balance: bigint;
  /** A tollgate.v1.LimitRefusal. */
  refusal: JsonValue;
}

/** Returns the grant of `heldNanoUsd` that a row is about. */
export function toGrant(heldNanoUsd: NanoUsd, row: HeldWalletRow): HoldGrant {
  return {
    heldNanoUsd,
    walletHeldNanoUsd: row.wallet_held,
    walletBalanceNanoUsd: row.wallet_balance,
    ...(row.refusal !== null && { refusal: fromJson(LimitRefusalSchema, row.refusal) }),
  };
}
