import { setTimeout as sleep } from "node:timers/promises";
import { fromBinary } from "@bufbuild/protobuf";
import type { Log } from "@tollgate/core/log";
import { readTraceHeaders } from "@tollgate/core/tracing";
import { tracedProcessing } from "@tollgate/metering/broker/traced-messages";
import { usageConsumer, usageStream } from "@tollgate/metering/broker/usage-stream";
import { type UsageEvent, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
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
const lagEveryMs = 5_000;
/** Messages that the broker hands out before it is told what became of earlier ones. */
const maxUnacknowledged = 2_000;
/** A message may hold hundreds of events, and all that are under way wait in one line. */
const maxMessagesUnderWay = 200;

export interface UsageConsumer {
  stop(): Promise<void>;
}

/**
 * Reads usage events from the broker and captures each; a message is acknowledged once the entries
 * of its events are committed. Stream and consumer are made when they are missing, also when the
 * broker lost them.
 */
export function consumeUsage(
  broker: Broker,
  capture: (event: UsageEvent) => Promise<void>,
  log: Log,
  metrics: Pick<Metrics, "usageQueueLag">,
): UsageConsumer {
  let stopped = false;
  let messages: ConsumerMessages | undefined;
  let finished: Promise<void> = Promise.resolve();
  const underWay = new Set<Promise<void>>();

  async function run(connection: NatsConnection): Promise<void> {
    while (!stopped) {
      try {
        messages = await subscribe(connection);
        await readAll(messages);
      } catch (error) {
        if (!stopped) log.warn({ reason: (error as Error).message }, "usage consumer interrupted");
      }
      if (!stopped) await sleep(retryMs);
    }
  }

  async function readAll(from: ConsumerMessages): Promise<void> {
    for await (const message of from) {
      while (underWay.size >= maxMessagesUnderWay) await Promise.race(underWay);
      const work = handle(message, captureFor(message, capture), log);
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
    }
  }

  const watch = setInterval(() => {
    void lagOf(broker).then((lag) => metrics.usageQueueLag.set(lag));
  }, lagEveryMs);
  broker.whenConnected((connection) => {
    if (!stopped) finished = run(connection);
  });
  return {
    async stop() {
      stopped = true;
      clearInterval(watch);
      await messages?.close();
      await finished;
      await Promise.all(underWay);
    },
  };
}

/** Messages that are not consumed yet; what is under way is not among them. 0 with no broker. */
async function lagOf(broker: Broker): Promise<number> {
  try {
    const manager = await broker.connection()?.jetstreamManager({ checkAPI: false });
    const info = await manager?.consumers.info(usageStream.name, usageConsumer);
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
    durable_name: usageConsumer,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: maxUnacknowledged,
  });
  const consumer = await connection.jetstream().consumers.get(usageStream.name, usageConsumer);
  const messages = await consumer.consume({ max_messages: 500 });
  endWhenLost(messages).catch(() => {});
  return messages;
}

/** JetStream's error code for a stream that is there with other settings: it serves as it is. */
const streamExists = 10_058;

/** A consumer that the broker forgot stays silent; leaving it makes it anew. */
async function endWhenLost(messages: ConsumerMessages): Promise<void> {
  for await (const status of await messages.status()) {
    if (lost.has(status.type)) await messages.close();
  }
}

const lost: ReadonlySet<string> = new Set([
  "consumer_deleted",
  "consumer_not_found",
  "stream_not_found",
]);

/** In the trace of whoever published the message, where there is one. */
function captureFor(
  { headers }: JsMsg,
  capture: (event: UsageEvent) => Promise<void>,
): (event: UsageEvent) => Promise<void> {
  const trace = readTraceHeaders((name) => headers?.get(name));
  return trace === undefined ? capture : tracedProcessing(capture, trace);
}

async function handle(
  message: JsMsg,
  capture: (event: UsageEvent) => Promise<void>,
  log: Log,
): Promise<void> {
  const { events, isWhole } = decode(message.data);
  if (!isWhole) log.error({ sequence: message.seq }, "what is no usage event was dropped");
  if (events.length === 0) return message.term();
  // All of them end before the message does, also where one fails.
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
    // The broker has gone. It will send the message again, and the ledger will know it.
    const reason = (error as Error).message;
    log.warn({ sequence: message.seq, reason }, "broker was not answered");
  }
}

/** The events of a message that can be recorded, and whether those are all. */
function decode(data: Uint8Array): { events: UsageEvent[]; isWhole: boolean } {
  try {
    const event = fromBinary(UsageEventSchema, data);
    const all = [event, ...event.companions];
    const events = all.filter(isRecordable);
    return { events, isWhole: events.length === all.length };
  } catch {
    return { events: [], isWhole: false };
  }
}
