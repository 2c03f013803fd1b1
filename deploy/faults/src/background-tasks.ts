import { setTimeout as sleep } from "node:timers/promises";
import { nanoUsd } from "@tollgate/e2e/nano-usd";
import type { OperatorConnection } from "@tollgate/local/operator";
import type { Customer } from "./customers.ts";
import { readLowestWallet } from "./ledger-database.ts";
import { retryOnError } from "./settlement.ts";

const topUpUsd = 0.01;
const topUpIntervalMs = 3_000;
const watchIntervalMs = 500;

/** A task that runs during the load. */
export interface BackgroundTask {
  /** Ends the task and resolves with its results. */
  stop(): Promise<string[]>;
}

/**
 * Tops up the customers' wallets in turn. Retries each payment under the same reference until it
 * succeeds. Its results are the references.
 */
export function topUpWallets(
  operator: OperatorConnection["client"],
  customers: readonly Customer[],
): BackgroundTask {
  return runRepeatedly(topUpIntervalMs, async (index) => {
    const customer = customers[index % customers.length];
    if (customer === undefined) return undefined;
    const reference = `payment-${index}`;
    const amountNanoUsd = nanoUsd(topUpUsd);
    await retryOnError(() =>
      operator.topUpWallet({ account: customer.accountId, amountNanoUsd, reference }),
    );
    return reference;
  });
}

/**
 * Checks whenever the database is available that no wallet is negative. Its results are problems.
 */
export function watchWallets(databaseUrl: string): BackgroundTask {
  return runRepeatedly(watchIntervalMs, async () => {
    const lowest = await readLowestWallet(databaseUrl).catch(() => undefined);
    if (lowest === undefined || (lowest.balance >= 0n && lowest.available >= 0n)) return undefined;
    return `a wallet has a balance of ${lowest.balance}, ${lowest.available} available`;
  });
}

function runRepeatedly(
  intervalMs: number,
  step: (index: number) => Promise<string | undefined>,
): BackgroundTask {
  const stopping = new AbortController();
  const results: string[] = [];
  async function run(): Promise<void> {
    for (let index = 0; !stopping.signal.aborted; index += 1) {
      const result = await step(index);
      if (result !== undefined) results.push(result);
      await sleep(intervalMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      return results;
    },
  };
}
