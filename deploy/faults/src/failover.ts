import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectOperator } from "@tollgate/local/operator";
import { clusterSecrets, startCluster } from "./cluster.ts";
import { createCustomers } from "./customers.ts";
import type { Observation } from "./observation.ts";
import { startObservedLoad } from "./observed-load.ts";
import { type ReplicatedDatabase, startReplicatedDatabase } from "./replicated-database.ts";
import { judgeLedger, waitForSettlement } from "./settlement.ts";
import { workloads } from "./workloads.ts";

export interface Failover {
  /** The requests that ended before the first server was killed, until the address moved, and after. */
  before: Observation[];
  during: Observation[];
  after: Observation[];
  violations: string[];
  /** How long the address led to no server. */
  outageMs: number;
}

/** Long enough that requests are refused meanwhile. */
const awayMs = 6_000;
const creditsUsd = [1_000, 1_000];

/**
 * Kills the first of two Postgres servers while clients send requests, promotes the second, and moves
 * the address to it. Each part goes on until `complete` requests are complete in it; what the second server needs
 * is prepared in the middle of the first part.
 */
export async function failOver(
  clients: number,
  complete: number,
  start: (folder: string) => Promise<ReplicatedDatabase> = startReplicatedDatabase,
): Promise<Failover> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-failover-"));
  await chmod(folder, 0o711);
  const database = await start(folder);
  const settings = { TOLLGATE_HOLD_SECONDS: "30", TOLLGATE_MISSING_AFTER_SECONDS: "3" };
  const cluster = await startCluster(settings, 1, { database });
  const operator = connectOperator(cluster.fleet.billingAddress, clusterSecrets);
  try {
    const customers = await createCustomers(operator.client, creditsUsd);
    const load = startObservedLoad(cluster, customers, clients, workloads);
    await load.untilComplete("before", complete / 2);
    await database.prepare?.();
    await load.untilComplete("before", complete);
    const killedAt = performance.now();
    await database.killFirst();
    load.enter("during");
    await sleep(awayMs);
    await database.promoteSecond();
    const outageMs = performance.now() - killedAt;
    load.enter("after");
    await load.untilComplete("after", complete);
    const observations = await load.stop();
    const problems = await waitForSettlement(operator.client, cluster, observations);
    const verdict = await judgeLedger(cluster, observations);
    return { ...load.parts, violations: [...problems, ...verdict.violations], outageMs };
  } finally {
    operator.close();
    await cluster.stop();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
