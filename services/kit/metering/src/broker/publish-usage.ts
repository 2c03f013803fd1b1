import type { Log } from "@tollgate/core/log";
import type { TraceHeaders } from "@tollgate/core/tracing";
import type { Broker } from "@tollgate/runtime/broker/connection";
import { headers, type MsgHdrs, type PubAck } from "nats";
import { type EncodedEvent, joinEvents } from "../outbox/encoded-event.ts";
import { usageSubject } from "./usage-stream.ts";

const brokerTimeoutMs = 2_000;

/** Resolves with whether the broker has all events. A trace is sent with a single event only. */
export type Publish = (events: readonly EncodedEvent[], trace?: TraceHeaders) => Promise<boolean>;

/** Creates a function that publishes events as one UsageEventBatch. It never rejects. */
export function createBrokerPublish(broker: Broker | undefined, log: Log): Publish {
  return async (events, trace) => {
    const connection = broker?.connection();
    const [first] = events;
    if (connection === undefined || first === undefined) return false;
    try {
      const payload = joinEvents(events);
      const options = { msgID: first.id, timeout: brokerTimeoutMs };
      const stamped = trace === undefined ? options : { ...options, headers: headersOf(trace) };
      const ack = await connection.jetstream().publish(usageSubject, payload, stamped);
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

function headersOf(trace: TraceHeaders): MsgHdrs {
  const set = headers();
  for (const [name, value] of Object.entries(trace)) set.set(name, value);
  return set;
}
