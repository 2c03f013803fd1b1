import { formatUsd } from "@tollgate/core/money";
import type { CreditService } from "@tollgate/proto/tollgate/v1/credit";
import type { Client } from "@tollgate/rpc/implementation";
import type Stripe from "stripe";
import { fromCents } from "./cents.ts";

interface Parts {
  credits: Client<typeof CreditService>;
  stripe: Stripe;
}

/** A payment that was credited. */
interface CreditedPayment {
  accountId: string;
  intentId: string;
}

/** The reversals of a payment in the ledger. */
interface Reversed {
  /** The sum of the reversals, those of earlier calls included. */
  nanoUsd: bigint;
  /** The changes that this call made in the ledger, as sentences. */
  changes: string[];
  /** A problem that an operator has to solve, as a sentence; empty if there is none. */
  problem: string;
}

/** Refunds and disputes of one payment: far more than Stripe allows. */
const maxListed = 1_000;

/**
 * Takes the amount of each refund of a payment from the wallet, and returns the amount of each refund that
 * failed to the wallet. Each refund is applied once, by its id.
 */
export async function reverseRefunds(parts: Parts, paid: CreditedPayment): Promise<Reversed> {
  const query = { payment_intent: paid.intentId, limit: 100 };
  const refunds = await parts.stripe.refunds.list(query).autoPagingToArray({ limit: maxListed });
  return reverseAll(
    parts,
    paid,
    refunds.map(({ id, amount, status }) => ({
      reference: id,
      amountNanoUsd: fromCents(amount),
      reason: `Refund ${id}`,
      // The money leaves at once; a bank may send it back later.
      state: status === "failed" || status === "canceled" ? "undone" : "reversed",
    })),
  );
}

/**
 * Takes the amount of each dispute of a payment from the wallet, and returns the amount of each dispute that
 * was won to the wallet. Each dispute is applied once, by its id.
 */
export async function reverseDisputes(parts: Parts, paid: CreditedPayment): Promise<Reversed> {
  const query = { payment_intent: paid.intentId, limit: 100 };
  const disputes = await parts.stripe.disputes.list(query).autoPagingToArray({ limit: maxListed });
  const inUsd = disputes.filter(({ currency }) => currency === "usd");
  const reversed = await reverseAll(
    parts,
    paid,
    inUsd.map(({ id, amount, reason, status }) => ({
      reference: id,
      amountNanoUsd: fromCents(amount),
      reason: `Dispute ${id}: ${reason}`.slice(0, maxReasonLength),
      state: disputeStates[status] ?? "none",
    })),
  );
  const other = disputes.find(({ currency }) => currency !== "usd");
  if (other === undefined) return reversed;
  const problem = `The dispute ${other.id} is in ${other.currency.toUpperCase()}: nothing was taken for it.`;
  return { ...reversed, problem };
}

const maxReasonLength = 200;

/** What a dispute does to the wallet. An inquiry, whose status begins with `warning`, moves no money. */
const disputeStates: Readonly<Record<string, "reversed" | "undone">> = {
  needs_response: "reversed",
  under_review: "reversed",
  lost: "reversed",
  won: "undone",
};

interface Reversal {
  reference: string;
  amountNanoUsd: bigint;
  reason: string;
  state: string;
}

async function reverseAll(
  { credits }: Parts,
  { accountId }: CreditedPayment,
  reversals: readonly Reversal[],
): Promise<Reversed> {
  const changes: string[] = [];
  let nanoUsd = 0n;
  for (const { state, ...reversal } of reversals) {
    const amount = `${formatUsd(reversal.amountNanoUsd)} USD`;
    if (state === "reversed") {
      const { reversed } = await credits.reverseTopUp({ accountId, ...reversal });
      nanoUsd += reversal.amountNanoUsd;
      if (reversed) changes.push(`took back ${amount}: ${reversal.reason}`);
    }
    if (state === "undone") {
      const { undone } = await credits.undoReversal({ accountId, ...reversal });
      if (undone) changes.push(`gave back ${amount}: ${reversal.reason}`);
    }
  }
  return { nanoUsd, changes, problem: "" };
}
