import type { Log } from "@tollgate/core/log";
import type { TraceHeaders } from "@tollgate/core/tracing";
import { headers, type MsgHdrs, type PubAck } from "nats";
import { type EncodedEvent, joinEvents } from "../outbox/encoded-event.ts";
import { macHeader } from "./batch-mac.ts";
import type { UsageBroker } from "./usage-broker.ts";
import { usageSubject } from "./usage-stream.ts";

const brokerTimeoutMs = 2_000;

/** Resolves with whether the broker has all events. A trace is sent with a single event only. */
export type Publish = (events: readonly EncodedEvent[], trace?: TraceHeaders) => Promise<boolean>;

/** Creates a function that publishes events as one UsageEventBatch. It never rejects. */
export function createBrokerPublish(usageBroker: UsageBroker | undefined, log: Log): Publish {
  return async (events, trace) => {
    const connection = usageBroker?.broker.connection();
    const [first] = events;
    if (usageBroker === undefined || connection === undefined || first === undefined) return false;
    try {
      const payload = joinEvents(events);
      const stamped = headersOf({ ...trace, [macHeader]: usageBroker.mac.sign(payload) });
      const options = { msgID: first.id, timeout: brokerTimeoutMs, headers: stamped };
      const ack = await connection.jetstream().publish(usageSubject, payload, options);
      return hasAll(ack, events);
    } catch (error) {
      const reason = (error as Error).message;
      log.warn({ event: first.id, events: events.length, reason }, "usage events not published");
      return false;
    }
  };
}

/**
 * Returns whether the broker has all events. It drops a message as a duplicate by the id of the
 * first event, and may then lack the others.
 */
function hasAll({ duplicate }: PubAck, events: readonly EncodedEvent[]): boolean {
  return !duplicate || events.length === 1;
}

function headersOf(values: Record<string, string>): MsgHdrs {
  const set = headers();
  for (const [name, value] of Object.entries(values)) set.set(name, value);
  return set;
}
