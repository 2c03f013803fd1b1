import { GatewayError, PeerError } from "@tollgate/core/errors";
import { formatUsd, type NanoUsd } from "@tollgate/core/money";

/** Returns the error of a request whose hold could not be taken or grown: the ledger's own, or 503. */
export function holdFailure(error: unknown): unknown {
  if (error instanceof GatewayError && error.code !== "internal_error") return error;
  const reason = error instanceof PeerError ? "cannot be reached" : "cannot take a hold";
  const message = `The ledger ${reason} now, so the request cannot be paid. Retry in a moment.`;
  return new GatewayError("no_provider_available", message, { cause: error });
}

/** Returns the error of a request whose complete estimate must be available, and is not. */
export function estimateUnavailable(estimate: NanoUsd, available: NanoUsd): GatewayError {
  const message =
    `This request may cost up to ${formatUsd(estimate)} USD, and the wallet has ` +
    `${formatUsd(available)} USD available. All of it must be available: by the ` +
    "account's admission policy, or because the request offers tools that the provider runs. Send a " +
    "smaller request, a lower output limit, or no such tools, retry when calls in flight have ended, " +
    "or top the wallet up.";
  return new GatewayError("credit_balance_exhausted", message);
}

/**
 * Returns the error of a request that costs at least `cost`, for which too little is available while other
 * calls hold the rest.
 */
export function walletTooShort(
  cost: NanoUsd,
  available: NanoUsd,
  walletHeld: NanoUsd,
): GatewayError {
  const message =
    `This request costs about ${formatUsd(cost)} USD or more, and the wallet has ` +
    `${formatUsd(available)} USD available: calls in flight and jobs hold ${formatUsd(walletHeld)} USD. ` +
    "Retry when they have ended, or top it up.";
  return new GatewayError("credit_balance_exhausted", message);
}

/**
 * Returns the error of a wallet with nothing available. Its message says what holds the money: the
 * request itself, which holds `own`, or other calls.
 */
export function walletExhausted(walletHeld: NanoUsd, own: NanoUsd = 0n): GatewayError {
  return new GatewayError("credit_balance_exhausted", exhaustedMessage(walletHeld, own));
}

function exhaustedMessage(walletHeld: NanoUsd, own: NanoUsd): string {
  if (walletHeld === 0n) return "The wallet is empty. Top it up to continue.";
  const nothing = "Nothing in the wallet is available:";
  const retry = "Retry when they have ended, or top it up.";
  if (own === 0n) {
    return `${nothing} calls in flight and jobs hold ${formatUsd(walletHeld)} USD. ${retry}`;
  }
  const itself = `the hold of this request itself reserves ${formatUsd(own)} USD`;
  if (own >= walletHeld) return `${nothing} ${itself}. Top it up to continue.`;
  const others = `other calls in flight hold ${formatUsd(walletHeld - own)} USD`;
  return `${nothing} ${itself}, and ${others}. ${retry}`;
}
