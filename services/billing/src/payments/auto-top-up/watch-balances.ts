import { type Repeating, repeat } from "@tollgate/core/repeat";
import { beginPayment } from "./begin-payment.ts";
import { type ChargeParts, chargeCard } from "./charge-card.ts";

/** How often the balance of an account is compared. */
const comparedEveryMs = 30_000;
const everyMs = 10_000;
const batch = 5;

/** Begins to compare balances with the thresholds of automatic top-ups, by any number of replicas. */
export function watchBalances(parts: ChargeParts): Repeating {
  return repeat(() => topUpDue(parts), { everyMs });
}

/** Tops up the accounts that are due. Does not reject: what fails is repeated half a minute later. */
export async function topUpDue(parts: ChargeParts): Promise<void> {
  try {
    for (;;) {
      const claimed = await claim(parts);
      await Promise.all(claimed.map(({ account_id: accountId }) => topUp(parts, accountId)));
      if (claimed.length < batch) return;
    }
  } catch (error) {
    parts.log.warn({ err: error }, "automatic top-ups cannot be read");
  }
}

/** Takes accounts that are due. No other replica takes them within the next half minute. */
function claim({ prisma, now }: ChargeParts): Promise<{ account_id: string }[]> {
  const due = new Date(now().getTime() - comparedEveryMs);
  return prisma.$queryRaw<{ account_id: string }[]>`
    UPDATE auto_top_up SET checked_at = ${now()}
    WHERE account_id IN (
      SELECT account_id FROM auto_top_up WHERE is_enabled AND checked_at <= ${due}
      ORDER BY checked_at LIMIT ${batch} FOR UPDATE SKIP LOCKED)
    RETURNING account_id`;
}

/** Charges what an account has begun to pay, or else what it has to pay now. */
async function topUp(parts: ChargeParts, accountId: string): Promise<void> {
  try {
    const open = { accountId, kind: "auto", state: "open" };
    const begun = await parts.prisma.payment.findFirst({ where: open });
    const payment = begun ?? (await beginPayment(parts, accountId));
    if (payment !== undefined) await chargeCard(parts, payment);
  } catch (error) {
    const reason = (error as Error).message;
    parts.log.warn({ account_id: accountId, reason }, "an automatic top-up is retried");
  }
}
