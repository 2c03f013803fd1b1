import type { GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { repeat } from "@tollgate/core/repeat";
import type { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import type { Client } from "@tollgate/rpc/implementation";
import type { ReadClientAddress } from "./client-address.ts";
import { RefusalQueue } from "./refusal-queue.ts";
import { type RefusedRequest, refusalRecord } from "./refusal-record.ts";

const flushEveryMs = 1_000;
const timeoutMs = 5_000;
/** Billing takes as many in one call. What is more is not counted until the next flush. */
const maxCounts = 1_000;

/** Counts refused requests, and records some of them, for operators. */
export interface Refusals {
  /** Adds a request that ended with an error. */
  add(request: RefusedRequest, failure: GatewayError): void;
  /** Sends what was added. */
  stop(): Promise<void>;
}

export interface RefusalParts {
  billing: Client<typeof BillingService>;
  log: Log;
  clientAddressOf: ReadClientAddress;
  now(): Date;
}

interface Count {
  accountId: string;
  code: string;
  requests: bigint;
}

/**
 * Sums the refusals of a second in memory, and sends the sums and the records to billing, so that no request
 * waits for them. They are for information only: a process that is killed loses the last ones, and records of a
 * failed call are dropped.
 */
export function createRefusals({ billing, log, clientAddressOf, now }: RefusalParts): Refusals {
  let counts = new Map<string, Count>();
  const queue = new RefusalQueue(() => now().getTime());
  const isIdle = () => counts.size === 0 && queue.isEmpty;
  const flushes = repeat(flush, { everyMs: flushEveryMs, isIdle });

  function count({ accountId, code, requests }: Count): void {
    const key = `${accountId} ${code}`;
    const counted = counts.get(key);
    if (counted !== undefined) counted.requests += requests;
    else if (counts.size < maxCounts) counts.set(key, { accountId, code, requests });
  }

  async function flush(): Promise<void> {
    if (isIdle()) return;
    const refusals = [...counts.values()];
    const records = queue.takeAll();
    counts = new Map();
    try {
      await billing.recordRefusals({ refusals, records }, { timeoutMs });
    } catch (error) {
      log.debug({ reason: (error as Error).message }, "refusals not recorded, and counted again");
      for (const one of refusals) count(one);
    }
  }

  return {
    add(request, failure) {
      const { accountId = "", keyId } = request;
      const { status, code, hasRecord } = failure;
      // Other errors are failures, which have an entry of the ledger or are the gateway's own.
      if (status < 500) count({ accountId, code, requests: 1n });
      if (!hasRecord) {
        const address = clientAddressOf(request.req);
        const owner = { id: keyId ?? address, accountId };
        queue.add(owner, () => refusalRecord(request, failure, address, now()));
      }
      flushes.resume();
    },
    async stop() {
      await flushes.stop();
      await flush();
    },
  };
}
