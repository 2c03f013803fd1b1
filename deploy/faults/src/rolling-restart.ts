import { setTimeout as sleep } from "node:timers/promises";
import { randomOf, uuidOf } from "@tollgate/e2e/random";
import { connectOperator } from "@tollgate/local/operator";
import { serviceNames } from "@tollgate/runtime/service";
import { clusterSecrets, type FaultCluster, startCluster } from "./cluster.ts";
import { createCustomers } from "./customers.ts";
import type { Observation } from "./observation.ts";
import { judgeLedger, waitForSettlement } from "./settlement.ts";
import { waitingWorkloads } from "./workloads.ts";

export interface RollingRestart {
  observations: Observation[];
  /** How many replicas were restarted. */
  restarted: number;
  violations: string[];
  seconds: number;
}

/** Longer than a busy load balancer below takes to notice that a replica is not ready. */
const drainSeconds = 3;
const readinessPollMs = 100;
/** Between a client's requests, because starting processes need the cores. */
const pauseMs = 100;
const replicaCount = 2;
const creditsUsd = [1_000, 1_000];

/**
 * Restarts two replicas of every service, one after the other, while clients send requests to every
 * billable route. The clients choose edges as a load balancer does, by readiness. The providers
 * work and the clients wait, so every request must succeed, and no event may be lost.
 */
export async function rollingRestart(clients: number): Promise<RollingRestart> {
  const startedAt = performance.now();
  const settings = { TOLLGATE_DRAIN_SECONDS: String(drainSeconds) };
  // Nothing crashes the database here, so it need not be durable.
  const cluster = await startCluster(settings, replicaCount, { durable: false });
  const operator = connectOperator(cluster.fleet.billingAddress, clusterSecrets);
  const balancer = startBalancer(cluster);
  try {
    const customers = await createCustomers(operator.client, creditsUsd);
    const observations: Observation[] = [];
    const failures: string[] = [];
    const restarts = createRestarts(cluster, startedAt);
    let isRunning = true;

    async function runClient(_: unknown, client: number): Promise<void> {
      for (let round = 0; isRunning; round += 1) {
        const index = round * clients + client;
        const random = randomOf(1, "rolling", index);
        const sentAt = performance.now();
        const observed = await random.pick(waitingWorkloads).run({
          edge: balancer.edge,
          customer: random.pick(customers),
          random,
          uuid: () => uuidOf(1, index),
          isFaultFree: true,
        });
        observations.push(...observed);
        for (const one of observed) {
          if (one.outcome === "complete") continue;
          failures.push(`${describe(one, sentAt - startedAt, startedAt)}; ${restarts.last()}`);
        }
        await sleep(pauseMs);
      }
    }

    const running = Array.from({ length: clients }, runClient);
    const restarted = await restarts.run().finally(() => {
      isRunning = false;
    });
    await Promise.all(running);
    const problems = await waitForSettlement(operator.client, cluster, observations);
    const verdict = await judgeLedger(cluster, observations);
    const violations = [...failures, ...problems, ...verdict.violations];
    const seconds = (performance.now() - startedAt) / 1_000;
    return { observations, restarted, violations, seconds };
  } finally {
    await balancer.stop();
    operator.close();
    await cluster.stop();
  }
}

/** Describes a failed request with the seconds of the run at which it was sent and ended. */
function describe(
  { workload, outcome, status, reason }: Observation,
  sentAfterMs: number,
  startedAt: number,
): string {
  const [from, until] = [sentAfterMs, performance.now() - startedAt].map((ms) =>
    (ms / 1_000).toFixed(1),
  );
  return `${workload}, ${from} to ${until} s: ${outcome} (${status}) ${reason}`;
}

function createRestarts({ fleet }: FaultCluster, startedAt: number) {
  let last = "no replica was restarted yet";
  const seconds = () => ((performance.now() - startedAt) / 1_000).toFixed(1);
  return {
    /** Describes the latest restart. */
    last: () => last,
    /** Restarts all replicas and resolves with their number. */
    async run(): Promise<number> {
      let restarted = 0;
      for (const name of serviceNames) {
        for (const [index, replica] of fleet.replicas(name).entries()) {
          last = `${name} ${index} was sent SIGTERM at ${seconds()} s`;
          await replica.child?.stop();
          last += `, exited at ${seconds()} s`;
          await fleet.restart(name, index);
          last += `, was ready at ${seconds()} s`;
          await sleep(drainSeconds * 1_000);
          restarted += 1;
        }
      }
      return restarted;
    },
  };
}

/** Balances over the edges whose `/readyz` responds with a 2xx. */
function startBalancer({ fleet }: FaultCluster) {
  const replicas = fleet.replicas("edge");
  let ready = [...fleet.urls];
  let turn = 0;
  let isRunning = true;

  /** Polls one round after the other, so that no older result replaces a newer one. */
  async function poll(): Promise<void> {
    while (isRunning) {
      const results = await Promise.all(
        replicas.map(({ operationsListen }) =>
          fetch(`http://${operationsListen}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        ),
      );
      ready = fleet.urls.filter((_, index) => results[index]);
      await sleep(readinessPollMs);
    }
  }

  const polling = poll();
  return {
    /** Returns the URL of a ready edge, in turn. */
    edge(): string {
      turn += 1;
      return ready[turn % ready.length] ?? fleet.url;
    },
    async stop(): Promise<void> {
      isRunning = false;
      await polling;
    },
  };
}
