import type { GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { repeat } from "@tollgate/core/repeat";
import type { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import type { Client } from "@tollgate/rpc/implementation";

const flushEveryMs = 5_000;
const timeoutMs = 5_000;
/** Billing takes as many in one call. What is more is not counted until the next flush. */
const maxCounts = 1_000;

/** Counts refused requests, for operators. */
export interface Refusals {
  /** Counts a request that ended with an error. `accountId` is undefined without a valid key. */
  count(failure: GatewayError, accountId: string | undefined): void;
  /** Sends what was counted. */
  stop(): Promise<void>;
}

interface Count {
  accountId: string;
  code: string;
  requests: bigint;
}

/**
 * Sums the refusals of some seconds in memory, and sends the sums to billing. They are for information: a
 * process that is killed loses the last ones.
 */
export function countRefusals(billing: Client<typeof BillingService>, log: Log): Refusals {
  let counts = new Map<string, Count>();
  const flushes = repeat(flush, { everyMs: flushEveryMs, isIdle: () => counts.size === 0 });

  function add({ accountId, code, requests }: Count): void {
    const key = `${accountId} ${code}`;
    const counted = counts.get(key);
    if (counted !== undefined) counted.requests += requests;
    else if (counts.size < maxCounts) counts.set(key, { accountId, code, requests });
    flushes.resume();
  }

  async function flush(): Promise<void> {
    if (counts.size === 0) return;
    const refusals = [...counts.values()];
    counts = new Map();
    try {
      await billing.recordRefusals({ refusals }, { timeoutMs });
    } catch (error) {
      log.debug({ reason: (error as Error).message }, "refusals not recorded, and will be");
      for (const count of refusals) add(count);
    }
  }

  return {
    count({ status, code }, accountId = "") {
      // Other errors are failures, which have an entry of the ledger or are the gateway's own.
      if (status >= 400 && status < 500) add({ accountId, code, requests: 1n });
    },
    async stop() {
      await flushes.stop();
      await flush();
    },
  };
}
