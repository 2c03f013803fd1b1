import { setTimeout as sleep } from "node:timers/promises";
import type { SeededRandom } from "@tollgate/e2e/random";
import type { ReplicaProcess } from "@tollgate/local/fleet";
import { usageStream, usageSubject } from "@tollgate/metering/broker/usage-stream";
import { natsAddress } from "@tollgate/runtime/broker/nats-address";
import { serviceNames } from "@tollgate/runtime/service";
import { connect, type NatsConnection, type StoredMsg } from "nats";
import pg from "pg";
import type { FaultCluster } from "./cluster.ts";

/** A kind of fault. */
interface Fault {
  name: string;
  weight: number;
  /** Returns the name of what it affects. A target has at most one fault at a time. */
  target(random: SeededRandom, cluster: FaultCluster): string;
  /** Injects the fault, waits and heals it. Rejects when the target's state does not allow it. */
  inject(cluster: FaultCluster, target: string, random: SeededRandom): Promise<void>;
}

const maxRedelivered = 300;

export const faults: readonly Fault[] = [
  { name: "replica killed", weight: 34, target: someReplica, inject: killReplica },
  { name: "replica paused", weight: 24, target: someReplica, inject: pauseReplica },
  { name: "broker killed", weight: 6, target: () => "broker", inject: killBroker },
  { name: "broker restarted", weight: 6, target: () => "broker", inject: restartBroker },
  { name: "broker paused", weight: 5, target: () => "broker", inject: pauseBroker },
  { name: "stream wiped", weight: 6, target: () => "broker", inject: wipeStream },
  { name: "events redelivered", weight: 9, target: () => "broker", inject: redeliverEvents },
  { name: "database crashed", weight: 5, target: () => "database", inject: crashDatabase },
  {
    name: "database sessions terminated",
    weight: 5,
    target: () => "database",
    inject: terminateSessions,
  },
];

/** Returns a replica's name, such as `chat 1`. */
function someReplica(random: SeededRandom, { fleet }: FaultCluster): string {
  const name = random.pick(serviceNames);
  return `${name} ${random.integer(0, fleet.replicas(name).length - 1)}`;
}

function replicaOf(
  { fleet }: FaultCluster,
  target: string,
): { replica: ReplicaProcess; index: number } {
  for (const name of serviceNames) {
    for (const [index, replica] of fleet.replicas(name).entries()) {
      if (target === `${name} ${index}`) return { replica, index };
    }
  }
  throw new Error(`there is no replica ${target}`);
}

async function killReplica(
  cluster: FaultCluster,
  target: string,
  random: SeededRandom,
): Promise<void> {
  const { replica, index } = replicaOf(cluster, target);
  const startAgain = await cluster.killReplica(replica.name, index);
  await sleep(random.integer(0, 1_500));
  await startAgain();
}

async function pauseReplica(
  cluster: FaultCluster,
  target: string,
  random: SeededRandom,
): Promise<void> {
  const { child } = replicaOf(cluster, target).replica;
  child?.kill("SIGSTOP");
  await sleep(random.integer(100, 4_000));
  child?.kill("SIGCONT");
}

async function killBroker(
  cluster: FaultCluster,
  _target: string,
  random: SeededRandom,
): Promise<void> {
  const startAgain = await cluster.endBroker("SIGKILL");
  await sleep(random.integer(0, 2_500));
  await startAgain();
}

async function restartBroker(
  cluster: FaultCluster,
  _target: string,
  random: SeededRandom,
): Promise<void> {
  const startAgain = await cluster.endBroker("SIGTERM");
  await sleep(random.integer(0, 2_500));
  await startAgain();
}

async function pauseBroker(
  cluster: FaultCluster,
  _target: string,
  random: SeededRandom,
): Promise<void> {
  const resume = cluster.pauseBroker();
  await sleep(random.integer(100, 4_000));
  resume();
}

/** The broker loses all messages that it had stored. */
async function wipeStream({ natsUrl }: FaultCluster): Promise<void> {
  await withBroker(natsUrl, async (connection) => {
    const manager = await connection.jetstreamManager();
    await manager.streams.delete(usageStream.name);
  });
}

/** Publishes earlier events again in another order, without the broker's deduplication. */
async function redeliverEvents({ natsUrl }: FaultCluster, _target: string, random: SeededRandom) {
  await withBroker(natsUrl, async (connection) => {
    const manager = await connection.jetstreamManager();
    const { state } = await manager.streams.info(usageStream.name);
    const first = Math.max(state.first_seq, state.last_seq - maxRedelivered + 1);
    const events: StoredMsg[] = [];
    for (let seq = first; seq <= state.last_seq; seq += 1) {
      const message = await manager.streams
        .getMessage(usageStream.name, { seq })
        .catch(() => undefined);
      if (message !== undefined) events.splice(random.integer(0, events.length), 0, message);
    }
    for (const { data, header } of events) {
      await connection.jetstream().publish(usageSubject, data, { headers: header });
    }
  });
}

async function crashDatabase(
  cluster: FaultCluster,
  _target: string,
  random: SeededRandom,
): Promise<void> {
  const startAgain = await cluster.crashDatabase();
  await sleep(random.integer(0, 1_500));
  await startAgain();
}

async function terminateSessions({ databaseUrl }: FaultCluster): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await client.end();
}

async function withBroker(url: string, work: (connection: NatsConnection) => Promise<void>) {
  const connection = await connect({ ...natsAddress(url), timeout: 2_000, reconnect: false });
  try {
    await work(connection);
  } finally {
    await connection.close();
  }
}
