import { setTimeout as sleep } from "node:timers/promises";
import { serviceNames } from "@tollgate/kit/service";
import { connectOperator } from "@tollgate/local/operator";
import { readEntries } from "./books.ts";
import { type Asking, families } from "./families.ts";
import { fleetSecret, type Grounds, startGrounds } from "./grounds.ts";
import { judge } from "./oracle.ts";
import { randomOf, uuidOf } from "./random.ts";
import type { Customer, Told } from "./told.ts";
import { newCustomers, settle } from "./trial.ts";

export interface RollingRestart {
  told: Told[];
  restarted: number;
  violations: string[];
  seconds: number;
}

/** Longer than the balancer below takes to see that a replica wants nothing new, if it is busy. */
const drainSeconds = 3;
const lookEveryMs = 100;
/** Between a client's requests: a process that starts needs the cores more than they do. */
const pauseMs = 100;

/** Providers do as they should: what fails here, we failed. */
const asked = families.filter(({ name }) => name !== "chat stream, left");

/**
 * Two replicas of every service, each asked to end and started again, one after the other, while
 * clients of every route family ask. Clients reach the edges as through a load balancer that heeds
 * their readiness. Nothing may fail, and nothing may be lost.
 */
export async function rollingRestart(clients: number): Promise<RollingRestart> {
  const startedAt = performance.now();
  const settings = { TOLLGATE_DRAIN_SECONDS: String(drainSeconds) };
  // Nothing crashes the database here, so that it need not be durable.
  const grounds = await startGrounds(settings, 2, false);
  const operator = connectOperator(grounds.fleet.billingAddress, fleetSecret);
  const balancer = balance(grounds);
  try {
    const customers = await newCustomers(operator.client, [1_000, 1_000]);
    const told: Told[] = [];
    const failures: string[] = [];
    const note = ({ family, ended, status, why }: Told, from: number) => {
      const lasted = [from, performance.now()].map((ms) => ((ms - startedAt) / 1_000).toFixed(1));
      return `${family}, ${lasted.join(" to ")} s: ${ended} (${status}) ${why}; ${restarts.now()}`;
    };
    const restarts = createRestarts(grounds, startedAt);
    let goesOn = true;
    const asking = Array.from({ length: clients }, async (_, client) => {
      for (let round = 0; goesOn; round += 1) {
        const index = round * clients + client;
        const startedAt = performance.now();
        const ended = await ask(index, balancer.edge, customers);
        told.push(...ended);
        for (const one of ended) if (one.ended !== "whole") failures.push(note(one, startedAt));
        await sleep(pauseMs);
      }
    });
    const restarted = await restarts.run().finally(() => {
      goesOn = false;
    });
    await Promise.all(asking);
    const problems = await settle(operator.client, grounds, told);
    const entries = await readEntries(grounds.databaseUrl);
    const verdict = judge(told, entries, grounds.simulator.calls.list());
    const violations = [...failures, ...problems, ...verdict.violations];
    return { told, restarted, violations, seconds: (performance.now() - startedAt) / 1_000 };
  } finally {
    await balancer.stop();
    operator.close();
    await grounds.stop();
  }
}

function ask(index: number, edge: () => string, customers: readonly Customer[]): Promise<Told[]> {
  const random = randomOf(1, "rolling", index);
  const asking: Asking = {
    edge,
    customer: random.pick(customers),
    random,
    uuid: () => uuidOf(1, index),
    isFair: true,
  };
  return random.pick(asked).ask(asking);
}

function createRestarts({ fleet }: Grounds, startedAt: number) {
  let last = "nothing was restarted yet";
  const seconds = () => ((performance.now() - startedAt) / 1_000).toFixed(1);
  return {
    now: () => last,
    async run(): Promise<number> {
      let restarted = 0;
      for (const name of serviceNames) {
        for (const [replica, seat] of fleet.replicas(name).entries()) {
          last = `${name} ${replica} was asked to end at ${seconds()} s`;
          await seat.child?.stop();
          last += `, ended at ${seconds()} s`;
          await fleet.restart(name, replica);
          last += `, was back at ${seconds()} s`;
          await sleep(drainSeconds * 1_000);
          restarted += 1;
        }
      }
      return restarted;
    },
  };
}

/** Hands out the edges that are ready, in turn. */
function balance({ fleet }: Grounds) {
  const seats = fleet.replicas("edge");
  let ready = [...fleet.urls];
  let turn = 0;
  let goesOn = true;

  /** One look after another, so that none undoes what a later one saw. */
  async function keepLooking(): Promise<void> {
    while (goesOn) {
      const answers = await Promise.all(
        seats.map(({ operationsListen }) =>
          fetch(`http://${operationsListen}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        ),
      );
      ready = fleet.urls.filter((_, index) => answers[index]);
      await sleep(lookEveryMs);
    }
  }

  const looking = keepLooking();
  return {
    edge(): string {
      turn += 1;
      return ready[turn % ready.length] ?? fleet.url;
    },
    async stop(): Promise<void> {
      goesOn = false;
      await looking;
    },
  };
}
