import { GatewayError } from "@tollgate/core/errors";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Implementation } from "@tollgate/rpc/implementation";
import { sumKeyCharges } from "./key-charges.ts";
import { dateOfTimestamp, flushCaptures, type LedgerParts } from "./ledger-parts.ts";
import { sumOverview } from "./overview.ts";
import { findCharge, findCharges, findMissing, sumSpend } from "./read-entries.ts";
import { isRecordable } from "./recordable.ts";
import { sumUsage } from "./usage-sums.ts";
import { readUsageTimes } from "./usage-times.ts";
import { verifyLedger } from "./verify/verify.ts";

/** Returns the calls that record usage events, and read what they charge. */
export function implementUsage(parts: LedgerParts) {
  const { pool, captures } = parts;

  return {
    async recordUsage({ events }) {
      if (!events.every(isRecordable)) {
        throw new GatewayError("invalid_param", "An event cannot be recorded.", {
          param: "events",
        });
      }
      await Promise.all(events.map(captures.capture));
      return {};
    },
    async confirmUsage({ eventIds }) {
      return { missingEventIds: await findMissing(pool, eventIds) };
    },
    async findCharge({ chargeId }) {
      await flushCaptures(parts);
      const chargedNanoUsd = await findCharge(pool, chargeId);
      return chargedNanoUsd === undefined ? {} : { chargedNanoUsd };
    },
    async findCharges({ accountId, requestIds, withinMs }) {
      await flushCaptures(parts, accountId);
      return { charges: await findCharges(pool, { accountId, requestIds, withinMs }) };
    },
    async getSpend({ accountId, from }) {
      await flushCaptures(parts, accountId);
      return { spendNanoUsd: await sumSpend(pool, accountId, dateOfTimestamp(from)) };
    },
    async sumKeyCharges({ keyIds, from }) {
      return { charges: await sumKeyCharges(pool, keyIds, dateOfTimestamp(from)) };
    },
    async sumUsage({ from, to, withTimes, keys, excludedKeys, ...request }) {
      await flushCaptures(parts, request.accountId || undefined);
      const times = { from: dateOfTimestamp(from), to: dateOfTimestamp(to) };
      const keyIds = { keyIds: keys?.ids, excludedKeyIds: excludedKeys?.ids };
      const period = { ...request, ...times, ...keyIds };
      const [{ sums, hasMore }, timesOf] = await Promise.all([
        sumUsage(pool, period),
        withTimes ? readUsageTimes(pool, period) : () => ({}),
      ]);
      return { sums: sums.map((sum) => ({ ...sum, ...timesOf(sum) })), hasMore };
    },
    async sumOverview({ accountId, from, to }) {
      await flushCaptures(parts, accountId || undefined);
      const period = { from: dateOfTimestamp(from), to: dateOfTimestamp(to) };
      const queued = accountId === "" ? parts.queuedMessages() : 0;
      const overview = await sumOverview(pool, { accountId, ...period });
      return { ...overview, queuedMessages: BigInt(queued) };
    },
    async verify(_request, { signal }) {
      await flushCaptures(parts);
      return verifyLedger(pool, signal);
    },
  } satisfies Partial<Implementation<typeof LedgerService>>;
}
