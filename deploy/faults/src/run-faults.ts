import { connectOperator } from "@tollgate/local/operator";
import { topUpWallets, watchWallets } from "./background-tasks.ts";
import { clusterSecrets, type FaultCluster, startCluster } from "./cluster.ts";
import { createCustomers } from "./customers.ts";
import { readEntries } from "./ledger-database.ts";
import { type FaultLoadResult, type FaultPlan, runLoadWithFaults } from "./load-with-faults.ts";
import type { Observation } from "./observation.ts";
import type { Verdict } from "./oracle.ts";
import { sendRequest } from "./send-request.ts";
import { judgeLedger, waitForSettlement } from "./settlement.ts";

export interface FaultRun extends FaultLoadResult, Verdict {
  seconds: number;
}

/** Most customers can pay for all their requests; the last two run out and are topped up. */
const creditsUsd = [1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 0.02, 0.05];
const toppedUpCustomers = 2;

/**
 * Runs a plan against its own cluster and judges it once all faults are healed. Besides what
 * `judge` checks, no wallet may ever be negative, no hold may stay open, each payment must have one
 * entry, and conversations must contain the turns that their clients saw.
 */
export async function runFaults(plan: FaultPlan): Promise<FaultRun> {
  const startedAt = performance.now();
  const settings = {
    TOLLGATE_HOLD_SECONDS: "30",
    TOLLGATE_MISSING_AFTER_SECONDS: "3",
    TOLLGATE_SHARE_HOLDS_FROM: "2",
  };
  const cluster = await startCluster(settings, plan.replicas);
  const operator = connectOperator(cluster.fleet.billingAddress, clusterSecrets);
  try {
    const customers = await createCustomers(operator.client, creditsUsd);
    const wallets = watchWallets(cluster.databaseUrl);
    const payments = topUpWallets(operator.client, customers.slice(-toppedUpCustomers));
    const load = await runLoadWithFaults(plan, cluster, customers);
    const references = await payments.stop();
    const problems = [
      ...(await wallets.stop()),
      ...(await waitForSettlement(operator.client, cluster, load.observations)),
      ...(await judgePayments(cluster, references)),
      ...(await judgeConversations(cluster, load.observations)),
    ];
    const verdict = await judgeLedger(cluster, load.observations);
    const violations = [...problems, ...verdict.violations];
    return { ...load, ...verdict, violations, seconds: (performance.now() - startedAt) / 1_000 };
  } finally {
    operator.close();
    await cluster.stop();
  }
}

async function judgePayments(
  { databaseUrl }: FaultCluster,
  references: readonly string[],
): Promise<string[]> {
  const entries = await readEntries(databaseUrl);
  const topUps = entries.filter(({ kind }) => kind === "top_up");
  return references.flatMap((reference) => {
    const count = topUps.filter((entry) => entry.reference === reference).length;
    return count === 1 ? [] : [`${reference}: ${count} entries`];
  });
}

/** A conversation must contain every complete turn, and no more turns than were sent. */
async function judgeConversations(
  { edges: [edge] }: FaultCluster,
  observations: readonly Observation[],
): Promise<string[]> {
  const inConversations = observations.filter(({ sessionId }) => sessionId !== undefined);
  const problems: string[] = [];
  for (const [sessionId, turns] of Map.groupBy(inConversations, (turn) => turn.sessionId)) {
    const complete = turns.filter(({ outcome }) => outcome === "complete").length;
    const key = turns[0]?.customer.key ?? "";
    const url = `${edge}/v1/conversations/${sessionId}`;
    const { status, text } = await sendRequest(url, { method: "GET", key });
    const stored = status === 404 ? 0 : (JSON.parse(text) as { turn_count: number }).turn_count;
    if (stored < complete || stored > turns.length) {
      problems.push(`conversation ${sessionId}: ${complete} complete turns, ${stored} stored`);
    }
  }
  return problems;
}
