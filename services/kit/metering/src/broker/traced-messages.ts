import { SpanKind, trace } from "@opentelemetry/api";
import {
  failSpan,
  headersOfSpan,
  type TraceHeaders,
  traceContextOf,
  traced,
  tracer,
} from "@tollgate/core/tracing";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Publish } from "./publish-usage.ts";
import { usageConsumerName, usageSubject } from "./usage-stream.ts";

/** Wraps publishing in a span for what is published inside a trace. A retry has no span. */
export function tracePublish(publish: Publish): Publish {
  return (events) => {
    const [event] = events;
    if (event === undefined || trace.getActiveSpan() === undefined) return publish(events);
    const span = tracer.startSpan(`publish ${usageSubject}`, {
      kind: SpanKind.PRODUCER,
      attributes: {
        ...attributesOf(event),
        "messaging.operation.name": "publish",
        "messaging.operation.type": "send",
      },
    });
    return traced(span, async () => {
      const isTaken = await publish(events, headersOfSpan(span) as TraceHeaders);
      if (!isTaken) failSpan(span, "unavailable");
      return isTaken;
    });
  };
}

/** Processes an event as a span of the trace that its message carries. */
export function tracedProcessing(
  process: (event: UsageEvent) => Promise<void>,
  headers: TraceHeaders,
): (event: UsageEvent) => Promise<void> {
  return (event) => {
    const options = {
      kind: SpanKind.CONSUMER,
      attributes: {
        ...attributesOf(event),
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.consumer.group.name": usageConsumerName,
      },
    };
    const span = tracer.startSpan(`process ${usageSubject}`, options, traceContextOf(headers));
    return traced(span, () => process(event));
  };
}

function attributesOf({ id }: { id: string }) {
  return {
    "messaging.system.name": "nats",
    "messaging.destination.name": usageSubject,
    "messaging.message.id": id,
  };
}
