import { type Repeating, repeat } from "@tollgate/core/repeat";
import { payCardCredits } from "./card-credit.ts";
import { deleteOldEvents, type EventParts } from "./stripe-events.ts";
import { verifyPayments } from "./verify-payments.ts";

const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;
/** Stripe repeats an event for three days. */
const days = 4;

/**
 * Compares Stripe's payments with the ledger every hour, and logs each discrepancy. Pays the start credits of
 * cards whose events were lost.
 */
export function reconcilePayments(parts: EventParts): Repeating {
  const { prisma, log, now } = parts;
  async function run(): Promise<void> {
    try {
      const { discrepancies } = await verifyPayments(parts, days);
      for (const discrepancy of discrepancies) log.error({ discrepancy }, "payments differ");
      await payCardCredits(parts, new Date(now().getTime() - days * dayMs));
      await deleteOldEvents(prisma, now());
    } catch (error) {
      const reason = (error as Error).message;
      log.warn({ reason }, "comparing payments with Stripe failed and will be retried");
    }
  }
  return repeat(run, { everyMs: hourMs });
}
