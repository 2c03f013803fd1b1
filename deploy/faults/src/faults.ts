import { setTimeout as sleep } from "node:timers/promises";
import { usageStream, usageSubject } from "@tollgate/kit/broker/usage-stream";
import { serviceNames } from "@tollgate/kit/service";
import type { Replica } from "@tollgate/local/fleet";
import { connect, type NatsConnection } from "nats";
import pg from "pg";
import type { Grounds } from "./grounds.ts";
import type { Random } from "./random.ts";

/** One kind of harm. */
interface Fault {
  name: string;
  weight: number;
  /** What it harms; nothing is harmed twice at once. */
  target(random: Random, grounds: Grounds): string;
  /** Harms, waits, and heals. Raises when the target is in no state to be harmed so. */
  inflict(grounds: Grounds, target: string, random: Random): Promise<void>;
}

const redeliveredAtMost = 300;

export const faults: readonly Fault[] = [
  { name: "kill -9", weight: 34, target: someReplica, inflict: killed },
  { name: "pause", weight: 24, target: someReplica, inflict: paused },
  { name: "broker killed", weight: 6, target: () => "broker", inflict: brokerKilled },
  { name: "broker restarted", weight: 6, target: () => "broker", inflict: brokerRestarted },
  { name: "broker paused", weight: 5, target: () => "broker", inflict: brokerPaused },
  { name: "stream wiped", weight: 6, target: () => "broker", inflict: streamWiped },
  { name: "events redelivered", weight: 9, target: () => "broker", inflict: eventsRedelivered },
  { name: "database crashed", weight: 5, target: () => "database", inflict: databaseCrashed },
  { name: "sessions cut", weight: 5, target: () => "database", inflict: sessionsCut },
];

/** As `chat 1`. */
function someReplica(random: Random, { fleet }: Grounds): string {
  const name = random.pick(serviceNames);
  return `${name} ${random.whole(0, fleet.replicas(name).length - 1)}`;
}

function seatOf({ fleet }: Grounds, target: string): { seat: Replica; replica: number } {
  for (const name of serviceNames) {
    for (const [replica, seat] of fleet.replicas(name).entries()) {
      if (target === `${name} ${replica}`) return { seat, replica };
    }
  }
  throw new Error(`${target} is no replica`);
}

async function killed(grounds: Grounds, target: string, random: Random): Promise<void> {
  const { seat, replica } = seatOf(grounds, target);
  const startAgain = await grounds.killService(seat.name, replica);
  await sleep(random.whole(0, 1_500));
  await startAgain();
}

async function paused(grounds: Grounds, target: string, random: Random): Promise<void> {
  const { child } = seatOf(grounds, target).seat;
  child?.kill("SIGSTOP");
  await sleep(random.whole(100, 4_000));
  child?.kill("SIGCONT");
}

async function brokerKilled(grounds: Grounds, _target: string, random: Random): Promise<void> {
  const startAgain = await grounds.endBroker("SIGKILL");
  await sleep(random.whole(0, 2_500));
  await startAgain();
}

async function brokerRestarted(grounds: Grounds, _target: string, random: Random): Promise<void> {
  const startAgain = await grounds.endBroker("SIGTERM");
  await sleep(random.whole(0, 2_500));
  await startAgain();
}

async function brokerPaused(grounds: Grounds, _target: string, random: Random): Promise<void> {
  const goOn = grounds.pauseBroker();
  await sleep(random.whole(100, 4_000));
  goOn();
}

/** The broker loses all that it had taken. */
async function streamWiped({ natsUrl }: Grounds): Promise<void> {
  await withBroker(natsUrl, async (connection) => {
    const manager = await connection.jetstreamManager();
    await manager.streams.delete(usageStream.name);
  });
}

/** Events of before come once more, in another order, and past the broker's own dedupe. */
async function eventsRedelivered({ natsUrl }: Grounds, _target: string, random: Random) {
  await withBroker(natsUrl, async (connection) => {
    const manager = await connection.jetstreamManager();
    const { state } = await manager.streams.info(usageStream.name);
    const first = Math.max(state.first_seq, state.last_seq - redeliveredAtMost + 1);
    const events: Uint8Array[] = [];
    for (let seq = first; seq <= state.last_seq; seq += 1) {
      const message = await manager.streams
        .getMessage(usageStream.name, { seq })
        .catch(() => undefined);
      if (message !== undefined) events.splice(random.whole(0, events.length), 0, message.data);
    }
    for (const event of events) await connection.jetstream().publish(usageSubject, event);
  });
}

async function databaseCrashed(grounds: Grounds, _target: string, random: Random): Promise<void> {
  const startAgain = await grounds.crashDatabase();
  await sleep(random.whole(0, 1_500));
  await startAgain();
}

async function sessionsCut({ databaseUrl }: Grounds): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await client.end();
}

async function withBroker(url: string, work: (connection: NatsConnection) => Promise<void>) {
  const connection = await connect({ servers: url, timeout: 2_000, reconnect: false });
  try {
    await work(connection);
  } finally {
    await connection.close();
  }
}
