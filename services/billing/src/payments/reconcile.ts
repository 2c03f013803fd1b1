import type { Log } from "@tollgate/core/log";
import { type Repeating, repeat } from "@tollgate/core/repeat";
import type { PaymentParts } from "./settle-payment.ts";
import { deleteOldEvents } from "./stripe-events.ts";
import { verifyPayments } from "./verify-payments.ts";

const hourMs = 60 * 60 * 1_000;
/** Stripe repeats an event for three days. */
const days = 4;

/** Compares Stripe's payments with the ledger every hour, and logs each discrepancy. */
export function reconcilePayments(parts: PaymentParts & { log: Log }): Repeating {
  const { prisma, log, now } = parts;
  async function run(): Promise<void> {
    try {
      const { discrepancies } = await verifyPayments(parts, days);
      for (const discrepancy of discrepancies) log.error({ discrepancy }, "payments differ");
      await deleteOldEvents(prisma, now());
    } catch (error) {
      const reason = (error as Error).message;
      log.warn({ reason }, "comparing payments with Stripe failed and will be retried");
    }
  }
  return repeat(run, { everyMs: hourMs });
}
