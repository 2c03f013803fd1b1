import { fromBinary } from "@bufbuild/protobuf";
import type { Log } from "@tollgate/core/log";
import { Pauses } from "@tollgate/core/pauses";
import { repeat } from "@tollgate/core/repeat";
import { readTraceHeaders } from "@tollgate/core/tracing";
import { type BatchMac, macHeader } from "@tollgate/metering/broker/batch-mac";
import { tracedProcessing } from "@tollgate/metering/broker/traced-messages";
import type { UsageBroker } from "@tollgate/metering/broker/usage-broker";
import { usageConsumerName, usageStream } from "@tollgate/metering/broker/usage-stream";
import { type UsageEvent, UsageEventBatchSchema } from "@tollgate/proto/tollgate/v1/usage";
import type { Broker } from "@tollgate/runtime/broker/connection";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import {
  AckPolicy,
  type ConsumerMessages,
  type JsMsg,
  type NatsConnection,
  NatsError,
  nanos,
} from "nats";
import { isRecordable } from "./recordable.ts";

const ackWaitMs = 30_000;
const retryMs = 1_000;
const lagIntervalMs = 5_000;
/** Messages that the broker delivers before earlier ones are acknowledged. */
const maxUnacknowledged = 2_000;
/** A message may contain hundreds of events. Those of all pending messages share a queue. */
const maxPendingMessages = 200;

export interface UsageConsumer {
  /** Returns how many messages were not delivered yet, some seconds ago at the most. */
  lag(): number;
  stop(): Promise<void>;
}

/**
 * Reads usage events from the broker and captures each one. A message is acknowledged once the
 * entries of its events are committed. Creates the stream and the consumer if they are missing, and
 * again if the broker loses them.
 */
export function consumeUsage(
  { broker, mac }: UsageBroker,
  capture: (event: UsageEvent) => Promise<void>,
  log: Log,
  metrics: Pick<Metrics, "usageQueueLag">,
): UsageConsumer {
  let stopped = false;
  let messages: ConsumerMessages | undefined;
  let finished: Promise<void> = Promise.resolve();
  const pending = new Set<Promise<void>>();

  async function run(connection: NatsConnection): Promise<void> {
    const pauses = new Pauses({ firstMs: retryMs });
    while (!stopped) {
      try {
        messages = await subscribe(connection);
        await readAll(messages);
      } catch (error) {
        if (!stopped) log.warn({ reason: (error as Error).message }, "usage consumer interrupted");
      }
      if (!stopped) await pauses.next();
    }
  }

  async function readAll(from: ConsumerMessages): Promise<void> {
    for await (const message of from) {
      while (pending.size >= maxPendingMessages) await Promise.race(pending);
      const work = isOfFleet(message, mac)
        ? handle(message, captureFor(message, capture), log)
        : refuse(message, log);
      pending.add(work);
      void work.finally(() => pending.delete(work));
    }
  }

  let lag = 0;
  const lagReads = repeat(
    async () => {
      lag = await readLag(broker);
      metrics.usageQueueLag.set(lag);
    },
    { everyMs: lagIntervalMs },
  );
  broker.whenConnected((connection) => {
    if (!stopped) finished = run(connection);
  });
  return {
    lag: () => lag,
    async stop() {
      stopped = true;
      const lagIsRead = lagReads.stop();
      await messages?.close();
      await finished;
      await Promise.all(pending);
      await lagIsRead;
    },
  };
}

/** Resolves with the number of messages that are not delivered yet; 0 without a broker. */
async function readLag(broker: Broker): Promise<number> {
  try {
    const manager = await broker.connection()?.jetstreamManager({ checkAPI: false });
    const info = await manager?.consumers.info(usageStream.name, usageConsumerName);
    return info?.num_pending ?? 0;
  } catch {
    return 0;
  }
}

async function subscribe(connection: NatsConnection): Promise<ConsumerMessages> {
  const manager = await connection.jetstreamManager();
  await manager.streams.add(usageStream).catch((error: unknown) => {
    if (!(error instanceof NatsError) || error.api_error?.err_code !== streamExists) throw error;
  });
  await manager.consumers.add(usageStream.name, {
    durable_name: usageConsumerName,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: maxUnacknowledged,
  });
  const consumer = await connection.jetstream().consumers.get(usageStream.name, usageConsumerName);
  const messages = await consumer.consume({ max_messages: 500 });
  closeWhenLost(messages).catch(() => {});
  return messages;
}

/** JetStream's error code for a stream that exists with other settings. It is used unchanged. */
const streamExists = 10_058;

/**
 * Closes the messages of a consumer that the broker lost, which only its status reports. The next
 * subscription creates the consumer again.
 */
async function closeWhenLost(messages: ConsumerMessages): Promise<void> {
  for await (const status of await messages.status()) {
    if (lostStatuses.has(status.type)) await messages.close();
  }
}

const lostStatuses: ReadonlySet<string> = new Set([
  "consumer_deleted",
  "consumer_not_found",
  "stream_not_found",
]);

/** Returns a capture in the publisher's trace, if the message has one. */
function captureFor(
  { headers }: JsMsg,
  capture: (event: UsageEvent) => Promise<void>,
): (event: UsageEvent) => Promise<void> {
  const trace = readTraceHeaders((name) => headers?.get(name));
  return trace === undefined ? capture : tracedProcessing(capture, trace);
}

/** Returns whether a message comes from a process that knows the fleet's secret. */
function isOfFleet({ data, headers }: JsMsg, mac: BatchMac): boolean {
  return mac.admits(data, headers?.get(macHeader));
}

/**
 * Drops a message for good. If it was the fleet's, with a secret that has been replaced since, its
 * sender still has the events, and sends them to the ledger itself.
 */
async function refuse(message: JsMsg, log: Log): Promise<void> {
  log.error({ sequence: message.seq }, "usage events without the fleet's MAC refused");
  message.term();
}

async function handle(
  message: JsMsg,
  capture: (event: UsageEvent) => Promise<void>,
  log: Log,
): Promise<void> {
  const { events, isComplete } = decode(message.data);
  if (!isComplete) log.error({ sequence: message.seq }, "invalid usage events dropped");
  if (events.length === 0) return message.term();
  // The message ends after all of its events, also if one fails.
  const captures = await Promise.allSettled(events.map(capture));
  const failed = captures.find((one) => one.status === "rejected");
  const captured = failed === undefined;
  if (!captured) {
    log.error({ err: failed.reason, sequence: message.seq }, "usage events not captured yet");
  }
  try {
    if (captured) message.ack();
    else message.nak(retryMs);
  } catch (error) {
    // The broker is disconnected. It delivers the message again, which changes nothing.
    const reason = (error as Error).message;
    log.warn({ sequence: message.seq, reason }, "usage message not acknowledged");
  }
}

/** Returns the events of a message that can be recorded, and whether these are all. */
function decode(data: Uint8Array): { events: UsageEvent[]; isComplete: boolean } {
  try {
    const all = fromBinary(UsageEventBatchSchema, data).events;
    const events = all.filter(isRecordable);
    return { events, isComplete: events.length > 0 && events.length === all.length };
  } catch {
    return { events: [], isComplete: false };
  }
}
