import { traced } from "@tollgate/core/tracing/traced";
import type { TraceHeaders, Tracer } from "@tollgate/core/tracing/tracer";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Publish } from "./publish-usage.ts";
import { usageConsumer, usageSubject } from "./usage-stream.ts";

/** Publishing inside a request, with a span. What is tried again later has none. */
export function tracePublish(publish: Publish, tracer: Tracer): Publish {
  return (events) => {
    const [event] = events;
    if (tracer.current() === undefined || event === undefined) return publish(events);
    const operation = {
      "messaging.operation.name": "publish",
      "messaging.operation.type": "send",
    };
    const attributes = { ...attributesOf(event), ...operation };
    const span = tracer.start(`publish ${usageSubject}`, "producer", attributes);
    return traced(tracer, span, async () => {
      const taken = await publish(events, span.headers);
      if (!taken) span.fail("unavailable");
      return taken;
    });
  };
}

/** Takes in an event of a message that came with a trace, as a span of that trace. */
export function traceProcessing(
  process: (event: UsageEvent) => Promise<void>,
  trace: TraceHeaders,
  tracer: Tracer,
): (event: UsageEvent) => Promise<void> {
  return (event) => {
    const attributes = {
      ...attributesOf(event),
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.consumer.group.name": usageConsumer,
    };
    const span = tracer.resume(`process ${usageSubject}`, "consumer", attributes, trace);
    return traced(tracer, span, () => process(event));
  };
}

function attributesOf({ id }: { id: string }) {
  return {
    "messaging.system.name": "nats",
    "messaging.destination.name": usageSubject,
    "messaging.message.id": id,
  };
}
