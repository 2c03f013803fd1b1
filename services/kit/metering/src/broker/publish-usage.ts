import type { Log } from "@tollgate/core/log";
import type { TraceHeaders } from "@tollgate/core/tracing";
import type { Broker } from "@tollgate/runtime/broker/connection";
import { headers, type MsgHdrs, type PubAck } from "nats";
import { type EncodedEvent, joinEvents } from "../outbox/encoded-event.ts";
import { usageSubject } from "./usage-stream.ts";

const brokerTimeoutMs = 2_000;

/** Answers whether the broker has the events, of which a trace travels with one that is alone. */
export type Publish = (events: readonly EncodedEvent[], trace?: TraceHeaders) => Promise<boolean>;

/** Publishes usage events as one message, a UsageEventBatch. */
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
      log.warn({ event: first.id, events: events.length, reason }, "broker did not take the event");
      return false;
    }
  };
}

/**
 * A message has the id of its first event. One that the broker drops as a duplicate may contain
 * other events that the broker has not received.
 */
function hasAll({ duplicate }: PubAck, events: readonly EncodedEvent[]): boolean {
  return !duplicate || events.length === 1;
}

function headersOf(trace: TraceHeaders): MsgHdrs {
  const set = headers();
  for (const [name, value] of Object.entries(trace)) set.set(name, value);
  return set;
}
