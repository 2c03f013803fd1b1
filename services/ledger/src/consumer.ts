import { setTimeout as sleep } from "node:timers/promises";
import { fromBinary } from "@bufbuild/protobuf";
import type { Broker } from "@tollgate/kit/broker/connection";
import { usageConsumer, usageStream } from "@tollgate/kit/broker/usage-stream";
import type { Log } from "@tollgate/kit/log";
import type { Metrics } from "@tollgate/kit/operations/metrics";
import { type UsageEvent, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
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
/** Messages taken from the broker and not yet committed. */
const maxUnderWay = 2_000;

export interface UsageConsumer {
  stop(): Promise<void>;
}

/**
 * Reads usage events from the broker and captures each; a message is acknowledged once its entry
 * is committed. Stream and consumer are made when they are missing, also when the broker lost them.
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
        for await (const message of messages) {
          const work = handle(message, capture, log);
          underWay.add(work);
          void work.finally(() => underWay.delete(work));
        }
      } catch (error) {
        if (!stopped) log.warn({ reason: (error as Error).message }, "usage consumer interrupted");
      }
      if (!stopped) await sleep(retryMs);
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
    max_ack_pending: maxUnderWay,
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

async function handle(
  message: JsMsg,
  capture: (event: UsageEvent) => Promise<void>,
  log: Log,
): Promise<void> {
  const event = decode(message.data);
  if (event === undefined) {
    log.error({ sequence: message.seq }, "a message that is no usage event was dropped");
    message.term();
    return;
  }
  const captured = await capture(event).then(
    () => true,
    (error: unknown) => {
      log.error({ err: error, event: event.id }, "usage event not captured yet");
      return false;
    },
  );
  try {
    if (captured) message.ack();
    else message.nak(retryMs);
  } catch (error) {
    // The broker has gone. It will send the message again, and the ledger will know it.
    log.warn({ event: event.id, reason: (error as Error).message }, "broker was not answered");
  }
}

function decode(data: Uint8Array): UsageEvent | undefined {
  try {
    const event = fromBinary(UsageEventSchema, data);
    return isRecordable(event) ? event : undefined;
  } catch {
    return undefined;
  }
}
