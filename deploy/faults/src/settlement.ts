import { setTimeout as sleep } from "node:timers/promises";
import type { OperatorConnection } from "@tollgate/local/operator";
import type { FaultCluster } from "./cluster.ts";
import { readEntries } from "./ledger-database.ts";
import type { Observation } from "./observation.ts";
import { judge, type Verdict } from "./oracle.ts";

const settlementTimeoutMs = 120_000;
const pollMs = 500;

/**
 * Waits until no hold is open and the ledger agrees with the observations. Resolves with the
 * problems that the ledger itself reports after that or after the timeout: open holds, and
 * discrepancies between wallets and entries.
 */
export async function waitForSettlement(
  operator: OperatorConnection["client"],
  cluster: FaultCluster,
  observations: readonly Observation[],
): Promise<string[]> {
  const deadline = performance.now() + settlementTimeoutMs;
  for (;;) {
    const { result } = await retryOnError(() => operator.verifyLedger({}));
    const { violations } = await judgeLedger(cluster, observations);
    const openHolds = result?.openHolds ?? 0n;
    if ((openHolds === 0n && violations.length === 0) || performance.now() > deadline) {
      const open = openHolds === 0n ? [] : [`${openHolds} holds are open at the end`];
      return [...open, ...(result?.discrepancies ?? [])];
    }
    await sleep(pollMs);
  }
}

/** Judges the ledger as it is now. */
export async function judgeLedger(
  { databaseUrl, simulator }: FaultCluster,
  observations: readonly Observation[],
): Promise<Verdict> {
  return judge(observations, await readEntries(databaseUrl), simulator.calls.list());
}

/** Calls `work` until it succeeds. Rejects with its error after the timeout. */
export async function retryOnError<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + settlementTimeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(pollMs);
    }
  }
}
